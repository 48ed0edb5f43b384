import { storableDocument } from "@content-service/support/storable.ts";
import type { DocumentNode, GraphQLError, GraphQLSchema } from "graphql";
import { LRUCache } from "lru-cache";
import type { QueryLimits } from "../../settings.ts";
import { parseWithin } from "./parseWithin.ts";
import { validateWithin } from "./validateWithin.ts";

/** The heap that a parsed document takes for each character of its text: measured 75 bytes, rounded up. */
const bytesPerCharacter = 128;

/** Parses and validates documents against one schema. Valid documents are cached by their text, up to a number of bytes. */
export class Documents {
  readonly #valid: LRUCache<string, DocumentNode>;
  readonly #schema: GraphQLSchema;
  readonly #limits: QueryLimits;
  readonly #introspection: boolean;

  /** @param introspection whether clients may read the schema; without it, errors suggest no names either */
  constructor(schema: GraphQLSchema, limits: QueryLimits, introspection: boolean, maxBytes: number) {
    this.#valid = new LRUCache({ maxSize: maxBytes });
    this.#schema = schema;
    this.#limits = limits;
    this.#introspection = introspection;
  }

  /** The heap that the cached documents take, roughly, in bytes. */
  get size(): number {
    return this.#valid.calculatedSize;
  }

  /** @throws GRAPHQL_PARSE_FAILED, or VALIDATION_ERROR when the text exceeds a limit */
  parse(query: string): DocumentNode {
    return this.#valid.get(query) ?? storableDocument(parseWithin(query, this.#limits));
  }

  /**
   * Validates a document. Only a valid one is remembered: endless different documents that are refused take no memory.
   *
   * @param document from parse(), within the limits
   */
  validate(query: string, document: DocumentNode): GraphQLError[] {
    if (this.#valid.peek(query) === document) return [];
    const errors = validateWithin(this.#schema, document, this.#limits, { introspection: this.#introspection });
    if (errors.length === 0) this.#valid.set(query, document, { size: 1 + query.length * bytesPerCharacter });
    return errors;
  }
}
