import type { ParseArgsOptionsConfig } from "node:util";
import type { Databases } from "./databases.ts";

/** Command-line options, as `parseArgs` of `node:util` returns them. */
export type Options = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** One of the commands `npm run db:…`. */
export interface Command {
  /** Undefined when another program reads the command line: all of it are arguments then. */
  options: ParseArgsOptionsConfig | undefined;
  /** What each argument is, in words for the message when it is missing. All of them are required. */
  arguments?: string[];
  /** @throws StartError with the way out, when the command is refused */
  run(databases: Databases, options: Options, args: string[]): Promise<void>;
}
