/** A database, until it is closed. */
export interface Database {
  /** The owner's connection string. */
  url: string;
  close(): Promise<void>;
}

/** `npm run import` or `npm run export`. */
export interface Command {
  usage: string;
  /** @returns the exit status */
  run(args: string[], open: () => Promise<Database>): Promise<number>;
}

/** A command line that cannot be understood. */
export class UsageError extends Error {}
