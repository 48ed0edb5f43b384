import type { DocumentNode, GraphQLError, GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import type { QueryLimits } from "../../settings.ts";
import { parseWithin } from "./parseWithin.ts";
import { storableDocument } from "./storable.ts";
import { validateWithin } from "./validateWithin.ts";

const maxDocuments = 1_000;

/** Parses and validates documents against one schema. A client's usual documents are cached by their text. */
export class Documents {
  readonly #byText = new LRUCache<string, DocumentNode>({ max: maxDocuments });
  readonly #errors = new WeakMap<DocumentNode, GraphQLError[]>();
  readonly #schema: GraphQLSchema;
  readonly #limits: QueryLimits;
  readonly #introspection: boolean;

  /** @param introspection whether clients may read the schema; without it, errors suggest no names either */
  constructor(schema: GraphQLSchema, limits: QueryLimits, introspection: boolean) {
    this.#schema = schema;
    this.#limits = limits;
    this.#introspection = introspection;
  }

  /** @throws GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text exceeds a limit */
  parse(query: string): DocumentNode {
    const known = this.#byText.get(query);
    if (known) return known;
    const document = storableDocument(parseWithin(query, this.#limits));
    this.#byText.set(query, document);
    return document;
  }

  /** @param document from parse(), within the limits */
  validate(document: DocumentNode): GraphQLError[] {
    const known = this.#errors.get(document);
    if (known) return known;
    const errors = validateWithin(this.#schema, document, this.#limits, { introspection: this.#introspection });
    this.#errors.set(document, errors);
    return errors;
  }
}
