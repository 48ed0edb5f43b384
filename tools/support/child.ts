import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer } from "../../test/support/service.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** The service as a process of its own, as `npm start` runs it. */
export class ServiceProcess {
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  output = "";

  /** @param environment all there is of it, but for PATH */
  constructor(environment: Record<string, string>, options: { uid?: number; gid?: number } = {}) {
    this.child = spawn(process.execPath, [main], {
      ...options,
      env: { PATH: process.env.PATH ?? "", PORT: "0", LOG_LEVEL: "warn", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk) => {
        this.output += chunk;
      });
    }
  }

  /** The endpoint's address, as soon as it has been printed. */
  async url(): Promise<string> {
    return this.printed(/GraphQL +(http\S+)/);
  }

  /** What `pattern`'s first group finds in the output, as soon as it is there. */
  async printed(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.output)?.[1];
        if (found !== undefined) resolve(found);
      };
      look();
      this.child.stdout?.on("data", look);
      this.child.once("exit", (code) => reject(new Error(`ended with ${code}: ${this.output}`)));
    });
  }

  /** Waits for its end, after `signal` if one is given. */
  async end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode;
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
      this.child.once("close", (code, killedBy) => resolve(code ?? killedBy)),
    );
    if (signal) this.child.kill(signal);
    return ended;
  }
}

/** Asks an endpoint that is not one of useService()'s. */
export async function post(url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close", ...headers },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as Answer;
}
