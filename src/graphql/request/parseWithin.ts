import type { ApiError } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { type DocumentNode, GraphQLError, Lexer, parse, Source, TokenKind } from "graphql";
import { withCode } from "./withCode.ts";

/** The longest document, in bytes of UTF-8. */
const maxBytes = 20 * 1_024;

/**
 * Lexical tokens of a document. They also bound how deeply it nests, and how long validation compares fields with each other: 46 ms at
 * worst with 1,000. From a few thousand on, the parser, which recurses for each level, would overflow the stack.
 */
const maxTokens = 1_000;

/** graphql-js reports this limit by message only. Nothing from the query precedes it. */
const tooManyTokens = /^Syntax Error: Document contains more/;

/**
 * Parses a document up to the limits of its text.
 *
 * @throws GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text exceeds a limit
 */
export function parseWithin(query: string): DocumentNode {
  const bytes = Buffer.byteLength(query);
  if (bytes > maxBytes) throw limitError("queryBytes", maxBytes, bytes);
  try {
    return parse(query, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (tooManyTokens.test(error.message)) throw tokensError(query);
    throw withCode(error, "GRAPHQL_PARSE_FAILED");
  }
}

/** Counts all tokens, so that the error says what was asked for; or those before the first unreadable one. */
function tokensError(query: string): ApiError {
  const lexer = new Lexer(new Source(query));
  let count = 0;
  try {
    while (lexer.advance().kind !== TokenKind.EOF) count += 1;
  } catch {
    return limitError("tokens", maxTokens, Math.max(count, maxTokens + 1), true);
  }
  return limitError("tokens", maxTokens, count);
}
