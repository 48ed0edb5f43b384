import type { ParseArgsOptionsConfig } from "node:util";
import type { Databases } from "./databases.ts";

/** Command-line options, as `parseArgs` of `node:util` returns them. */
export type Options = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** One of the commands `npm run db:…`. */
export interface Command {
  options: ParseArgsOptionsConfig;
  /** The option that the one argument without a name stands for: `statement` in `db:index -- "create index …"`. */
  positional?: string;
  /** @throws StartError with the way out, when the command is refused */
  run(databases: Databases, options: Options): Promise<void>;
}
