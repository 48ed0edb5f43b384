import { GraphQLError } from "graphql";
import type { ErrorCode } from "../../errors.ts";
import { withoutValues } from "./withoutValues.ts";

/** What quotes the query is cut, so that a name of 20 KB is not sent back once an error. */
const messageLength = 500;

/** An error of graphql-js's own, with a code for the client. */
export function withCode(error: GraphQLError, code: ErrorCode): GraphQLError {
  const { nodes, source, positions, extensions } = error;
  const message = withoutValues(error.message);
  const short = message.length > messageLength ? `${message.slice(0, messageLength)}…` : message;
  return new GraphQLError(short, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    extensions: { ...extensions, code },
  });
}
