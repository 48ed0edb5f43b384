import { requireProgram, runProgram } from "../clientPrograms.ts";
import type { Command } from "../Project.ts";

/** `psql [-c '…']`: opens psql as the owner. Every argument is psql's. */
export const psqlCommand: Command = {
  options: undefined,
  async run({ databases: { url }, environment }, _options, args) {
    requireProgram("psql", environment, 0, ` Any other program can connect to ${url}`);
    return runProgram("psql", environment, url, args);
  },
};
