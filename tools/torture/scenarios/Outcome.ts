/** The result of a scenario. */
export interface Outcome {
  title: string;
  /** How often each thing has happened, and how long some took. */
  counts: object;
  note?: string;
  /** Some wrong responses. */
  examples?: unknown[];
  isGood: boolean;
}
