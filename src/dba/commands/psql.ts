import { requireProgram, runProgram } from "../clientPrograms.ts";
import type { Command } from "./command.ts";

/** `npm run db:psql [-- -c '…']`: opens psql as the owner. Every argument is psql's. */
export const psqlCommand: Command = {
  options: undefined,
  async run({ url }, _options, args) {
    requireProgram("psql", 0, ` Any other program can connect to ${url}`);
    process.exitCode = await runProgram("psql", url, args);
  },
};
