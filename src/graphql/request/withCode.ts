import { ApiError, type ErrorCode } from "@content-service/errors/ApiError.ts";
import { GraphQLError } from "graphql";

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

/** The places where graphql-js quotes a literal of the query. It may be a password, and messages end up in logs. */
const quotations: [RegExp, string][] = [
  [/^(.* cannot represent [^:]*): .*$/s, "$1."],
  [/^Value ".*" does not exist in "/s, 'This value does not exist in "'],
  [/^(Expected value of type "[^"]*"), found (?!null\.).*$/s, "$1."],
  [/(String|BlockString|Int|Float) ".*"\.$/s, "$1."],
];

/** Removes quoted values from a message of graphql-js. Names of fields, arguments and types stay. */
function withoutValues(message: string): string {
  return quotations.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message);
}
