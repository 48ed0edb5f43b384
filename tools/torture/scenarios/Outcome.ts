import type { Tally } from "../tally.ts";

export interface Outcome {
  title: string;
  /** How many were committed. */
  messages: number;
  counts: Tally;
  note: string;
  /** Of errors that came in place of messages. */
  examples?: unknown[];
  isGood: boolean;
}
