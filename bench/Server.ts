import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A server in a process of its own. */
export class Server {
  readonly name: string;
  /** Headers of the requests of each client, in turn. */
  readonly headers: readonly Record<string, string>[];
  url = "";
  /** The time from its start to its first answer. */
  startMs = 0;
  readonly #script: string;
  readonly #environment: Record<string, string>;
  readonly #listening: RegExp;
  readonly #path: string;
  #child: ChildProcess | undefined;

  constructor(
    name: string,
    script: string,
    environment: Record<string, string>,
    { listening = /LISTENING (\S+)/, path = "", headers = [{}] as readonly Record<string, string>[] } = {},
  ) {
    this.name = name;
    this.headers = headers;
    this.#script = fileURLToPath(new URL(script, import.meta.url));
    this.#environment = environment;
    this.#listening = listening;
    this.#path = path;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resident memory, in MB. */
  get residentMB(): number {
    const pages = Number(readFileSync(`/proc/${this.pid}/statm`, "utf8").split(" ")[1]);
    return Math.round((pages * 4096) / 2 ** 20);
  }

  async start(): Promise<this> {
    const from = performance.now();
    const child = spawn(process.execPath, [this.#script], {
      env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", PORT: "0", ...this.#environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.url = await new Promise<string>((resolve, reject) => {
      let output = "";
      child.once("exit", (code, signal) => {
        if (!child.killed) console.error(`${this.name} ended with ${code ?? signal}: ${output}`);
      });
      const look = (chunk: Buffer) => {
        output = (output + chunk).slice(-10_000);
        const found = this.#listening.exec(output)?.[1];
        if (found) resolve(found + this.#path);
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.once("exit", (code) => reject(new Error(`${this.name} ended with ${code}: ${output}`)));
    });
    // A log that nobody reads would block the process. Reading it without looking costs the bench little.
    child.stdout.removeAllListeners("data").resume();
    // The service opens its port before it is ready. Asked all the time, it would spend an eighth of its start on refusals.
    while (!(await this.ask("{ __typename }")).data) await delay(10);
    this.startMs = Math.round(performance.now() - from);
    return this;
  }

  async ask(query: string, variables: Record<string, unknown> = {}, operationName?: string): Promise<any> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...this.headers[0] },
      body: JSON.stringify({ query, variables, operationName }),
    });
    return response.json();
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    child.removeAllListeners("exit").kill("SIGTERM");
    const killing = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await once(child, "exit");
    clearTimeout(killing);
  }
}
