import type { Tally } from "../tally.ts";

export interface Outcome {
  title: string;
  /** The number of committed messages. */
  messages: number;
  counts: Tally;
  note: string;
  /** Some errors received instead of messages. */
  examples?: unknown[];
  isGood: boolean;
}
