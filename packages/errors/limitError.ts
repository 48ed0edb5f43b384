import { ApiError, type ValidationError } from "./ApiError.ts";

/** Counting stops here: a larger request is only known to ask for more. */
export const countCeiling = 1_000_000_000;

/** Each limit's sentence, around the number asked for. */
const sentences = {
  queryBytes: (asked) => `This query's text has ${asked} bytes`,
  tokens: (asked) => `This query has ${asked} tokens`,
  brackets: (asked) => `This query opens ${asked} brackets within each other`,
  depth: (asked) => `This query is ${asked} levels deep`,
  mutations: (asked) => `This operation has ${asked} mutations`,
  selections: (asked) => `This query has ${asked} selections, its fragments expanded`,
  nodes: (asked) => `This query can be answered with ${asked} nodes`,
  cost: (asked) => `This query makes the database read about ${asked} rows`,
  introspection: (asked) => `This query asks for about ${asked} values of introspection`,
  variableValues: (asked) => `The variables hold ${asked} values`,
  variableDepth: (asked) => `The variables are ${asked} levels deep`,
  responseBytes: (asked) => `This operation's response has ${asked} bytes`,
} satisfies Record<string, (asked: string) => string>;

/** What a client can do instead, where that is not to ask for less. */
const advice: { [Name in LimitName]?: string } = {
  selections: " Read many records by `nodes(nodeIds:)`, or send several requests.",
};

export type LimitName = keyof typeof sentences;

export const limitNames = Object.keys(sentences) as LimitName[];

/**
 * The error for a request that asks for more than a limit allows. It names the limit, its maximum and what was asked for.
 *
 * @param asked above `max`; with `orMore`, and from countCeiling on, the message says "at least"
 */
export function limitError(name: LimitName, max: number, asked: number, orMore = asked >= countCeiling): ApiError {
  const number = `${orMore ? "at least " : ""}${grouped(asked)}`;
  const message = `${sentences[name](number)}; at most ${grouped(max)} are allowed.${advice[name] ?? ""}`;
  const invalid: ValidationError = { path: [], field: null, code: "OUT_OF_RANGE", message, params: { max, asked } };
  return new ApiError("VALIDATION_ERROR", message, { limit: { name, max, asked }, validationErrors: [invalid] });
}

/** 10000 as "10,000". The first use of Intl would take 15 ms. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
