import type { Command } from "./command.ts";

/** `npm run -s db:url`: prints the connection string of the database's owner, with its password. */
export const urlCommand: Command = {
  options: {},
  async run({ databases: { url, isEmbedded }, output }) {
    output.log(url);
    if (isEmbedded) output.error("The embedded database answers there while a service, or another db: command, runs.");
  },
};
