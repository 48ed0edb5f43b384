import type { ParseArgsOptionsConfig } from "node:util";
import type { Databases } from "./databases.ts";

/** What was given on the command line, as `node:util`'s parseArgs reads it. */
export type Given = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** One of `npm run db:…`. */
export interface Command {
  options: ParseArgsOptionsConfig;
  /** @throws StartError where it is refused, with what to do about it */
  run(databases: Databases, given: Given): Promise<void>;
}
