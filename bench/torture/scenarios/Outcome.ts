import type { Tally } from "../tally.ts";

export interface Outcome {
  title: string;
  /** How many were committed. */
  messages: number;
  counts: Tally;
  note: string;
  isGood: boolean;
}
