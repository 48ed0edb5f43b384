import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from "graphql";
import { limitError } from "./limitError.ts";
import type { Limits } from "./limits.ts";
import { withCode } from "./withCode.ts";

/** graphql-js tells this limit by its words only. Nothing of the query stands before them. */
const tooManyTokens = /^Syntax Error: Document contains more/;

/**
 * Reads the text of a request, no further than its limits.
 *
 * @throws GraphQLError GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text is longer than a limit allows
 */
export function parseWithin(query: string, limits: Pick<Limits, "queryBytes" | "tokens">): DocumentNode {
  const bytes = Buffer.byteLength(query);
  if (bytes > limits.queryBytes) throw limitError("queryBytes", limits.queryBytes, bytes);
  try {
    return parse(query, { maxTokens: limits.tokens });
  } catch (error) {
    // The parser calls itself for each level: a setting far above the usual one lets the stack run out first.
    if (error instanceof RangeError) throw parseError("Syntax Error: The query is nested too deeply.");
    if (!(error instanceof GraphQLError)) throw error;
    if (tooManyTokens.test(error.message)) throw tokensError(query, limits.tokens);
    throw withCode(error, "GRAPHQL_PARSE_FAILED");
  }
}

function parseError(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "GRAPHQL_PARSE_FAILED" } });
}

/** Counts on to the end, to say what was asked; or as far as there are tokens to be read. */
function tokensError(query: string, max: number): GraphQLError {
  const lexer = new Lexer(new Source(query));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return limitError("tokens", max, Math.max(count, max + 1), { orMore: true });
  }
  return limitError("tokens", max, count);
}
