import { printableJson } from "@content-service/support/printable.ts";
import { type DestinationStream, type Logger, pino } from "pino";

/** The service's log. Its lines contain texts of others, such as paths and responses: a terminal that shows a line obeys none of them. */
export function openLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, hooks: { streamWrite: printableJson } }, destination);
}
