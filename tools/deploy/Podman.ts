import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, tryRun } from "./run.ts";

/** Settings that do not depend on systemd or on the machine's limits. */
const settings = `[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
helper_binaries_dir = ["/usr/lib/podman", "/usr/libexec/podman"]
`;

/** A Podman with storage and networks of its own, which are gone at the end. */
export class Podman implements AsyncDisposable {
  readonly #directory: string;
  readonly #runtime: string;

  /** @returns what this machine lacks, as the user reads it */
  static async needs(): Promise<string[]> {
    const lacks: string[] = [];
    if (!(await tryRun("podman", ["--version"])))
      lacks.push("Podman: apt install podman netavark aardvark-dns catatonit");
    if (!(await tryRun("kubectl", ["version", "--client"]))) lacks.push("kubectl, for kubectl kustomize");
    if (process.getuid?.() !== 0) lacks.push("root, for Podman's networks and limits");
    return lacks;
  }

  static async open(): Promise<Podman> {
    const runtime = (await tryRun("crun", ["--version"])) ? "crun" : "runc";
    const podman = new Podman(await mkdtemp(join(tmpdir(), "content-service-podman-")), runtime);
    await writeFile(join(podman.#directory, "containers.conf"), settings);
    return podman;
  }

  private constructor(directory: string, runtime: string) {
    this.#directory = directory;
    this.#runtime = runtime;
  }

  run(args: readonly string[], input?: string): Promise<string> {
    const at = (name: string) => join(this.#directory, name);
    const own = [
      "--root",
      at("root"),
      "--runroot",
      at("run"),
      "--network-config-dir",
      at("networks"),
      "--runtime",
      this.#runtime,
    ];
    const env = { CONTAINERS_CONF: at("containers.conf") };
    return run("podman", [...own, ...args], { env, ...(input === undefined ? null : { input }) });
  }

  async inspect(container: string): Promise<any> {
    return JSON.parse(await this.run(["container", "inspect", container]))[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run(["pod", "rm", "--all", "--force"]);
    await this.run(["rm", "--all", "--force", "--volumes", "--time", "0"]);
    await this.run(["network", "prune", "--force"]);
    await this.run(["rmi", "--all", "--force"]);
    await rm(this.#directory, { recursive: true, force: true });
  }
}
