import { ApiError, type ErrorCode } from "@content-service/errors/ApiError.ts";
import { limitError } from "@content-service/errors/limitError.ts";
import { safeName } from "@content-service/support/storable.ts";
import {
  type ArgumentNode,
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  type ObjectFieldNode,
  parse,
  SingleFieldSubscriptionsRule,
  Source,
  specifiedRules,
  TokenKind,
  validate,
  visit,
} from "graphql";
import { SubscriptionRootRule } from "./SubscriptionRootRule.ts";

/** The longest document, in bytes of UTF-8. */
const maxBytes = 20 * 1_024;

/** Lexical tokens: a document of the greatest length has as many when they are short. Validation takes 60 ms at worst with them. */
const maxTokens = maxBytes / 4;

/** Brackets that are open at once, more than 200 selections need. The parser recurses for each, and overflows the stack from 2,000 on. */
const maxBrackets = 250;

/**
 * Parses a document up to the limits of its text.
 *
 * @param isTrusted whether the operator has chosen the document: it has no limits
 * @throws GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text exceeds a limit
 */
export function parseWithin(query: string, isTrusted = false): DocumentNode {
  try {
    if (!isTrusted) checkText(query);
    return parse(query);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw withCode(error, "GRAPHQL_PARSE_FAILED");
  }
}

/** @throws ApiError when the text exceeds a limit, or GraphQLError when it is not made of tokens */
function checkText(query: string): void {
  const bytes = Buffer.byteLength(query);
  if (bytes > maxBytes) throw limitError("queryBytes", maxBytes, bytes);
  const lexer = new Lexer(new Source(query));
  let open = 0;
  for (let tokens = 1; lexer.advance().kind !== TokenKind.EOF; tokens += 1) {
    if (tokens > maxTokens) throw limitError("tokens", maxTokens, tokens, true);
    const { kind } = lexer.token;
    if (opening.has(kind)) open += 1;
    if (closing.has(kind)) open -= 1;
    if (open > maxBrackets) throw limitError("brackets", maxBrackets, open, true);
  }
}

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_L, TokenKind.BRACKET_L, TokenKind.BRACE_L]);
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.PAREN_R, TokenKind.BRACKET_R, TokenKind.BRACE_R]);

/** Errors of one document, or of its variables, that a response reports. */
export const maxErrors = 10;

const rules = specifiedRules.map((rule) => (rule === SingleFieldSubscriptionsRule ? SubscriptionRootRule : rule));
const rulesWithoutIntrospection = [...rules, NoSchemaIntrospectionCustomRule];

/**
 * Validates a document by the rules of the GraphQL specification. One rule compares fields pairwise, within graphql-js's
 * own budget: a document that repeats its fields hundreds of times is refused as "Validation aborted."
 *
 * @param introspection whether clients may read the schema; without it, errors suggest no names either
 * @returns at most `maxErrors`, each a GRAPHQL_VALIDATION_FAILED
 */
export function validateWithin(
  schema: GraphQLSchema,
  document: DocumentNode,
  { introspection }: { introspection: boolean },
): GraphQLError[] {
  const errors = validate(schema, document, introspection ? rules : rulesWithoutIntrospection, {
    maxErrors,
    hideSuggestions: !introspection,
  });
  // graphql-js appends an error that says there are too many.
  const reported = errors.slice(0, maxErrors);
  const inputs = inputsOf(reported, document);
  return reported.map((error) => incremental(error) ?? withCode(error, "GRAPHQL_VALIDATION_FAILED", inputs.get(error)));
}

/** The names of the arguments and fields whose literals are wrong. graphql-js names those of fields of inputs itself. */
function inputsOf(errors: readonly GraphQLError[], document: DocumentNode): Map<GraphQLError, string> {
  const byLiteral = Map.groupBy(
    errors.filter(({ message, nodes }) => nodes?.[0]?.kind.endsWith("Value") && !message.startsWith("Field ")),
    ({ nodes }) => nodes?.[0],
  );
  const inputs = new Map<GraphQLError, string>();
  if (byLiteral.size === 0) return inputs;
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      const found = byLiteral.get(node);
      if (!found) return;
      // An array among them has the neighbours as well.
      const input = [...ancestors, parent].findLast(isInput);
      for (const error of found) if (input) inputs.set(error, input.name.value);
    },
  });
  return inputs;
}

function isInput(one: ASTNode | readonly ASTNode[] | undefined): one is ArgumentNode | ObjectFieldNode {
  return one !== undefined && "kind" in one && (one.kind === Kind.ARGUMENT || one.kind === Kind.OBJECT_FIELD);
}

/** @returns advice for `@defer` and `@stream`, which clients know and this schema does not */
function incremental({ nodes = [] }: GraphQLError): GraphQLError | undefined {
  const [node] = nodes;
  if (node?.kind !== Kind.DIRECTIVE || !["defer", "stream"].includes(node.name.value)) return undefined;
  const advice = "Remove it, or send the slow part as a query of its own.";
  const message = `@${node.name.value} is not supported: a response comes as a whole. ${advice}`;
  const reason = "INCREMENTAL_DELIVERY_NOT_SUPPORTED";
  return new GraphQLError(message, {
    nodes,
    originalError: new ApiError("GRAPHQL_VALIDATION_FAILED", message, { reason }),
  });
}

/** graphql-js quotes the query in its messages. A name of 20 KB must not come back with every error. */
const messageLength = 500;

/** An error of graphql-js as an ApiError, at its place in the document. */
function withCode({ message, nodes, source, positions }: GraphQLError, code: ErrorCode, input?: string): GraphQLError {
  const renamed = message.replaceAll(/"\$(\w+)_"/g, (text, name) => (safeName(name) === name ? text : `"$${name}"`));
  const clean = `${input === undefined ? "" : `\`${input}\`: `}${withoutValues(renamed)}`;
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
