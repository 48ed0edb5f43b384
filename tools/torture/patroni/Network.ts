import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import type { SystemUser } from "../../../src/embedded/dataDirectory.ts";
import { afterThisProcess } from "../../support/afterThisProcess.ts";

/** A network of the machines: one among themselves, one on which clients reach them. */
type Name = "cluster" | "clients";

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/**
 * Machines, which are network namespaces, on two networks, and this process on the clients' one. The bridges are in a namespace
 * too, where no firewall of this machine filters. All is removed when this process ends, with the processes on the machines.
 */
export class Network {
  readonly #prefix = `torture-${process.pid}`;
  readonly #subnets: Record<Name, string>;
  readonly #hub = `${this.#prefix}-hub`;
  readonly #user: SystemUser;
  readonly #remove: () => Promise<void>;

  /** @param directory deleted with the network */
  constructor(machines: number, user: SystemUser, directory: string) {
    this.#user = user;
    // From the block for benchmarks (RFC 2544).
    const third = process.pid % 256;
    this.#subnets = { cluster: `198.18.${third}`, clients: `198.19.${third}` };
    const numbers = Array.from({ length: machines }, (_, index) => index + 1);
    const here = `torture${process.pid}`;
    this.#remove = afterThisProcess(
      `directory=$0
      for machine in "$@"; do
        while pids=$(ip netns pids "$machine") && [ -n "$pids" ]; do kill -9 $pids; sleep 0.1; done
        ip netns del "$machine"
      done
      rm -rf -- "$directory"`,
      [directory, ...numbers.map((number) => this.#machine(number)), this.#hub],
    );
    ip("netns", "add", this.#hub);
    for (const name of ["cluster", "clients"] as const) {
      ip("-n", this.#hub, "link", "add", name, "type", "bridge");
      ip("-n", this.#hub, "link", "set", name, "up");
    }
    for (const number of numbers) {
      const machine = this.#machine(number);
      ip("netns", "add", machine);
      ip("-n", machine, "link", "set", "lo", "up");
      for (const name of ["cluster", "clients"] as const) {
        ip("-n", machine, "link", "add", name, "type", "veth", "peer", "name", `${name}${number}`, "netns", this.#hub);
        ip("-n", machine, "address", "add", `${this.address(name, number)}/24`, "dev", name);
        ip("-n", machine, "link", "set", name, "up");
        ip("-n", this.#hub, "link", "set", `${name}${number}`, "up");
        this.join(name, number);
      }
    }
    ip("-n", this.#hub, "link", "add", "here", "type", "veth", "peer", "name", here, "netns", String(process.pid));
    ip("-n", this.#hub, "link", "set", "here", "master", "clients", "up");
    ip("address", "add", `${this.address("clients", 254)}/24`, "dev", here);
    ip("link", "set", here, "up");
  }

  address(name: Name, number: number): string {
    return `${this.#subnets[name]}.${number}`;
  }

  /** The networks of the machines' addresses. */
  get networks(): string[] {
    return Object.values(this.#subnets).map((subnet) => `${subnet}.0/24`);
  }

  /** Pulls the cable of a machine: packets vanish, and connections stay open. */
  cut(name: Name, number: number): void {
    ip("-n", this.#hub, "link", "set", `${name}${number}`, "nomaster");
  }

  join(name: Name, number: number): void {
    ip("-n", this.#hub, "link", "set", `${name}${number}`, "master", name);
  }

  /** Starts a program on a machine, as the user of the database. @param log what it prints is added to this file */
  start(
    number: number,
    log: string,
    command: readonly string[],
    environment: Record<string, string> = {},
  ): ChildProcess {
    const output = openSync(log, "a");
    const [program, ...args] = this.#command(number, command) as [string, ...string[]];
    return spawn(program, args, { cwd: "/", env: this.#environment(environment), stdio: ["ignore", output, output] });
  }

  /** Runs a program on a machine to its end. @returns the exit status, and what it has printed */
  run(
    number: number,
    command: readonly string[],
    environment: Record<string, string> = {},
  ): Promise<{ status: number | null; output: string }> {
    const [program, ...args] = this.#command(number, command) as [string, ...string[]];
    const child = spawn(program, args, {
      cwd: "/",
      env: this.#environment(environment),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    return new Promise((resolve) => child.once("close", (status) => resolve({ status, output })));
  }

  /** Sends a signal to all processes of a machine, or to all but one. */
  signal(number: number, signal: NodeJS.Signals, spared?: number): void {
    const { stdout } = spawnSync("ip", ["netns", "pids", this.#machine(number)], { encoding: "utf8" });
    for (const pid of stdout.split("\n").filter(Boolean)) {
      if (Number(pid) === spared) continue;
      try {
        process.kill(Number(pid), signal);
      } catch {
        // The process has ended.
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#remove();
  }

  #machine(number: number): string {
    return `${this.#prefix}-${number}`;
  }

  #command(number: number, command: readonly string[]): string[] {
    const as = this.#user
      ? ["setpriv", `--reuid=${this.#user.uid}`, `--regid=${this.#user.gid}`, "--clear-groups"]
      : [];
    return ["ip", "netns", "exec", this.#machine(number), ...as, ...command];
  }

  #environment(environment: Record<string, string>): NodeJS.ProcessEnv {
    return { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", ...environment };
  }
}
