import type { DocumentNode, GraphQLError, GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import { standardIntrospectionSize } from "./introspectionSize.ts";
import type { Limits } from "./limits.ts";
import { parseWithin } from "./parseWithin.ts";
import { storableDocument } from "./storable.ts";
import { validateWithin } from "./validateWithin.ts";

const rememberedDocuments = 1_000;

/**
 * The documents that clients send, read in one schema. What has been read once is remembered by its text, so that a
 * client's usual operations are parsed, checked and planned once.
 */
export class Documents {
  readonly #byText = new LRUCache<string, DocumentNode>({ max: rememberedDocuments });
  readonly #faults = new WeakMap<DocumentNode, GraphQLError[]>();
  readonly #schema: GraphQLSchema;
  readonly #limits: Limits;
  readonly #introspection: boolean;

  /** @param introspection whether clients may ask what the schema is; without it, errors suggest no names either */
  constructor(schema: GraphQLSchema, limits: Limits, introspection: boolean) {
    this.#schema = schema;
    this.#limits = limits;
    this.#introspection = introspection;
    // Worked out once a schema: now, and not while the first client waits.
    standardIntrospectionSize(schema);
  }

  /** @throws GraphQLError when the text is no document, or beyond a limit */
  parse(query: string): DocumentNode {
    const known = this.#byText.get(query);
    if (known) return known;
    const document = storableDocument(parseWithin(query, this.#limits));
    this.#byText.set(query, document);
    return document;
  }

  /** What is wrong with a document of parse()'s by the rules of GraphQL. For one that is within the limits. */
  validate(document: DocumentNode): GraphQLError[] {
    const known = this.#faults.get(document);
    if (known) return known;
    const faults = validateWithin(this.#schema, document, this.#limits, { introspection: this.#introspection });
    this.#faults.set(document, faults);
    return faults;
  }
}
