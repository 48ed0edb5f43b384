import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../tools/support/freePort.ts";

const configuration = new URL("../../deploy/varnish.vcl", import.meta.url);

/** Varnish with deploy/varnish.vcl. */
export class Varnish implements AsyncDisposable {
  readonly url: string;
  readonly #directory: string;
  readonly #process: ChildProcess;

  /** @param port of the service on 127.0.0.1 */
  static async start(port: number): Promise<Varnish> {
    const varnish = new Varnish(port, await freePort());
    let text = "";
    for await (const chunk of varnish.#process.stderr?.setEncoding("utf8") ?? []) {
      text += chunk;
      if (text.includes("Child launched OK") || text.includes("said Child starts")) return varnish;
    }
    throw new Error(`Varnish does not start: ${text}`);
  }

  private constructor(servicePort: number, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#directory = mkdtempSync(join(tmpdir(), "content-service-varnish-"));
    const file = join(this.#directory, "default.vcl");
    writeFileSync(file, readFileSync(configuration, "utf8").replace('"4000"', `"${servicePort}"`));
    const options = ["-F", "-j", "none", "-a", `127.0.0.1:${port}`, "-f", file, "-n", join(this.#directory, "run")];
    this.#process = spawn("varnishd", [...options, "-s", "malloc,16m"], { stdio: ["ignore", "ignore", "pipe"] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
