import type { ParseArgsOptionsConfig } from "node:util";
import type { Databases } from "./databases.ts";
import type { Service } from "./Service.ts";

/** Command-line options, as `parseArgs` of `node:util` returns them. */
export type Options = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** Where a command prints: `console`, when it runs as a program. */
export type Output = Pick<Console, "log" | "error">;

/** The surroundings of a command, which knows neither the process nor its working directory. */
export interface Surroundings {
  /** The checkout: the directory with `migrations/`, the snapshots and git's history. */
  directory: string;
  environment: NodeJS.ProcessEnv;
  service: Service;
  output: Output;
  /** Asks whoever sits at the terminal. Undefined when there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** The signal of Ctrl-C. Until a command calls this, Ctrl-C ends the process. */
  interruption(): AbortSignal;
}

export interface Context extends Surroundings {
  databases: Databases;
}

/** One of the commands `npm run db:…`. */
export interface Command {
  /** Undefined when another program reads the command line: all of it are arguments then. */
  options: ParseArgsOptionsConfig | undefined;
  /** A few words for each argument, for the message when it is missing. All of them are required. */
  arguments?: string[];
  /**
   * @returns the exit status of the program that it has run, if there is one
   * @throws StartError with the way out, when the command is refused
   */
  run(context: Context, options: Options, args: string[]): Promise<number | undefined>;
}
