import { type ErrorLog, makeFormatError } from "@content-service/errors/formatError.ts";
import { GraphQLError } from "graphql";

/**
 * Makes Grafserv's `maskError`: an error gets a code in its extensions, and says nothing of SQL. An unforeseen one becomes
 * INTERNAL_SERVER_ERROR with an `errorId`, under which the log has the rest.
 */
export function makeMaskError(log: ErrorLog): (error: GraphQLError) => GraphQLError {
  const formatError = makeFormatError(log);
  return (error) => {
    // GraphQL's own, of a request that was not executed.
    if (!error.originalError) return error;
    const { message, extensions } = formatError(error);
    const { nodes = null, path = null } = error;
    return new GraphQLError(message, { nodes, path, extensions: extensions ?? null });
  };
}
