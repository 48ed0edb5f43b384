import { type ASTNode, GraphQLError } from "graphql";
import type { ValidationFault } from "../../errors.ts";
import type { Limits } from "./limits.ts";

/** Counts stop here: what is asked beyond it is only known to be more. */
export const countCeiling = 1_000_000_000;

/** Each limit's sentence, around the number asked for. */
const sentences = {
  queryBytes: (asked) => `This query's text has ${asked} bytes`,
  tokens: (asked) => `This query has ${asked} tokens`,
  depth: (asked) => `This query is ${asked} levels deep`,
  aliases: (asked) => `This query has ${asked} aliases`,
  rootFields: (asked) => `This query has ${asked} root fields`,
  directives: (asked) => `This query has ${asked} directives`,
  selections: (asked) => `This query has ${asked} selections, its fragments expanded`,
  nodes: (asked) => `This query can be answered with ${asked} nodes`,
  introspection: (asked) => `This query asks for ${asked} values of introspection`,
  variableValues: (asked) => `The variables hold ${asked} values`,
  variableDepth: (asked) => `The variables are ${asked} levels deep`,
  answerBytes: (asked) => `This query's answer has ${asked} bytes`,
} satisfies Partial<Record<keyof Limits, (asked: string) => string>>;

/** The limits that a request can be refused for. */
export type LimitName = keyof typeof sentences;

/**
 * The refusal of a request that asks for more than a limit allows: it names the limit, its value and what was asked.
 *
 * @param asked above `max`; from countCeiling on, or with `orMore`, the client is told that it is at least so much
 * @param node the place in the document that is too much, if it is any one place
 */
export function limitError(
  name: LimitName,
  max: number,
  asked: number,
  { node, orMore = asked >= countCeiling }: { node?: ASTNode | undefined; orMore?: boolean } = {},
): GraphQLError {
  const number = `${orMore ? "at least " : ""}${grouped(asked)}`;
  const message = `${sentences[name](number)}; at most ${grouped(max)} are allowed.`;
  const fault: ValidationFault = { path: [], field: null, code: "OUT_OF_RANGE", message, params: { max, asked } };
  return new GraphQLError(message, {
    ...(node ? { nodes: node } : null),
    extensions: { code: "VALIDATION_ERROR", limit: { name, max, asked }, validationErrors: [fault] },
  });
}

/** 10000 as "10,000". Intl would do, but its first use takes 15 ms. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
