import type { Command } from "../Project.ts";

/** `url`: prints the connection string of the database's owner, with its password. */
export const urlCommand: Command = {
  options: {},
  async run({ databases: { url, isEmbedded }, output }) {
    output.log(url);
    if (isEmbedded) output.error("This database answers while a program of the project, or another command, runs.");
  },
};
