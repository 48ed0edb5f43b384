import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The service in its own process, as `npm start` runs it. */
export class ServiceProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  /** Everything that the process has printed so far. */
  output = "";

  /**
   * @param environment the whole environment except PATH and NODE_COMPILE_CACHE
   * @param checkout the service's files: this checkout, unless another one is given
   */
  constructor(
    environment: Record<string, string>,
    { checkout = root, ...options }: { uid?: number; gid?: number; checkout?: string } = {},
  ) {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    this.child = spawn(process.execPath, [join(checkout, "src/start.js")], {
      ...options,
      env: { PATH, NODE_COMPILE_CACHE, PORT: "0", LOG_LEVEL: "warn", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on("data", (chunk) => {
        this.output += chunk;
      });
    }
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits until the process prints the URL of its endpoint. */
  async url(): Promise<string> {
    return this.printed(/GraphQL +(http\S+)/);
  }

  /** Waits until the output matches `pattern`. @returns the first group */
  async printed(pattern: RegExp): Promise<string> {
    return this.until((output) => pattern.exec(output)?.[1]);
  }

  /** Waits until `look` finds something in the output, and @returns it. */
  async until<Found>(look: (output: string) => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const again = () => {
        const found = look(this.output);
        if (found === undefined) return;
        this.child.stdout?.off("data", again);
        resolve(found);
      };
      this.child.stdout?.on("data", again);
      this.child.once("exit", (code) => reject(new Error(`ended with ${code}: ${this.output}`)));
      again();
    });
  }

  /** Sends `signal`, if given, and waits for the end of the process. @returns the exit code or the signal */
  async end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    if (!this.isRunning) return this.child.exitCode ?? this.child.signalCode;
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
      this.child.once("close", (code, killedBy) => resolve(code ?? killedBy)),
    );
    if (signal) this.child.kill(signal);
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end("SIGTERM");
  }
}
