import { ApiError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from "graphql";
import type { QueryLimits } from "../../settings.ts";
import { withCode } from "./withCode.ts";

/** graphql-js reports this limit by message only. Nothing from the query precedes it. */
const tooManyTokens = /^Syntax Error: Document contains more/;

/**
 * Parses a document up to the limits of its text.
 *
 * @throws GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text exceeds a limit
 */
export function parseWithin(query: string, limits: Pick<QueryLimits, "queryBytes" | "tokens">): DocumentNode {
  const bytes = Buffer.byteLength(query);
  if (bytes > limits.queryBytes) throw limitError("queryBytes", limits.queryBytes, bytes);
  try {
    return parse(query, { maxTokens: limits.tokens });
  } catch (error) {
    // The parser recurses for each level: with MAX_QUERY_TOKENS far above its default, the stack overflows first.
    if (error instanceof RangeError) {
      throw new ApiError("GRAPHQL_PARSE_FAILED", "Syntax Error: The query is nested too deeply.");
    }
    if (!(error instanceof GraphQLError)) throw error;
    if (tooManyTokens.test(error.message)) throw tokensError(query, limits.tokens);
    throw withCode(error, "GRAPHQL_PARSE_FAILED");
  }
}

/** Counts all tokens, so that the error says what was asked for; or those before the first unreadable one. */
function tokensError(query: string, max: number): ApiError {
  const lexer = new Lexer(new Source(query));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return limitError("tokens", max, Math.max(count, max + 1), true);
  }
  return limitError("tokens", max, count);
}
