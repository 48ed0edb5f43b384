import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";

const embedded = new URL("../../src/embedded/embedded.ts", import.meta.url).href;
const throwAway = new URL("../../tools/support/throwAwayPostgres.ts", import.meta.url).href;

/** The result of startEmbeddedPostgres(), or its error. */
export type Outcome = Partial<EmbeddedPostgres> & { refusal?: string };

/** A process that starts the embedded database and keeps it until SIGTERM, to be killed and stopped as one likes. */
export class EmbeddedChild {
  readonly process: ChildProcess;
  readonly outcome: Promise<Outcome>;

  constructor(dataDir: string, options: { throwaway?: boolean; uid?: number; gid?: number } = {}) {
    const { throwaway = false, ...user } = options;
    const script = `
      const [start] = Object.values(await import(${JSON.stringify(throwaway ? throwAway : embedded)})).filter(({ name }) => name.startsWith("start"));
      try {
        const database = await start(${JSON.stringify(dataDir)});
        const running = setInterval(() => {}, 60_000);
        process.on("SIGTERM", () => {
          // Then nothing is left to do, and the process ends by itself.
          database.stop().then(() => clearInterval(running));
          console.log("stopping");
        });
        console.log(JSON.stringify(database));
      } catch (error) {
        if (error.name !== "OperatorError") throw error;
        console.log(JSON.stringify({ refusal: error.message }));
      }`;
    this.process = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      ...user,
      cwd: "/",
      // No LANG, nor anything else of the caller's that the server could see.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.outcome = new Promise((resolve, reject) => {
      this.process.stdout?.once("data", (line) => resolve(JSON.parse(String(line))));
      this.process.once("close", (code) => reject(new Error(`It ended with ${code} and said nothing.`)));
    });
  }

  /** Resolves when the stop has begun. */
  async stopping(): Promise<void> {
    await once(this.process.stdout as NodeJS.ReadableStream, "data");
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill(signal);
    await ended;
  }
}
