import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { LRUCache } from "lru-cache";
import { storableDocument } from "../storable.ts";

const maxTokens = 1_000;
const maxValidationErrors = 10;
const rememberedDocuments = 1_000;

export type PrepareDocument = (query: string) => { document: DocumentNode } | { errors: readonly GraphQLError[] };

/**
 * Parses and validates the text of a request. What has passed once is remembered by its text, so that a client's usual
 * operations cost nothing here, and are planned once.
 *
 * @param introspection whether clients may ask what the schema is; without it, errors suggest no names either
 */
export function makePrepareDocument(schema: GraphQLSchema, introspection: boolean): PrepareDocument {
  const known = new LRUCache<string, DocumentNode>({ max: rememberedDocuments });
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];

  return (query) => {
    const remembered = known.get(query);
    if (remembered) return { document: remembered };
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens });
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return { errors: [withCode(error, "GRAPHQL_PARSE_FAILED")] };
    }
    const errors = validate(schema, document, rules, { maxErrors: maxValidationErrors });
    if (errors.length > 0) {
      return {
        errors: errors.map((error) =>
          withCode(
            error,
            "GRAPHQL_VALIDATION_FAILED",
            introspection ? error.message : withoutSuggestions(error.message),
          ),
        ),
      };
    }
    document = storableDocument(document);
    known.set(query, document);
    return { document };
  };
}

function withoutSuggestions(message: string): string {
  return message.replace(/ Did you mean [^?]*\?( Or [^?]*\?)?/g, "");
}

function withCode(error: GraphQLError, code: string, message = error.message): GraphQLError {
  const { nodes, source, positions } = error;
  return new GraphQLError(message, {
    extensions: { ...error.extensions, code },
    ...(nodes ? { nodes } : null),
    ...(source ? { source } : null),
    ...(positions ? { positions } : null),
  });
}
