import { ApiError, type ErrorCode } from "@content-service/errors/ApiError.ts";
import { GraphQLError } from "graphql";
import { withoutValues } from "./withoutValues.ts";

/** graphql-js quotes the query in its messages. A name of 20 KB must not come back with every error. */
const messageLength = 500;

/** An error of graphql-js as an ApiError, at its place in the document. */
export function withCode({ message, nodes, source, positions }: GraphQLError, code: ErrorCode): GraphQLError {
  const clean = withoutValues(message);
  const short = clean.length > messageLength ? `${clean.slice(0, messageLength)}…` : clean;
  return new GraphQLError(short, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    originalError: new ApiError(code, short),
  });
}
