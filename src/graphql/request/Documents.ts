import { ApiError } from "@content-service/errors/ApiError.ts";
import { storableDocument } from "@content-service/support/storable.ts";
import { type DocumentNode, type GraphQLError, type GraphQLSchema, Kind, type OperationDefinitionNode } from "graphql";
import { LRUCache } from "lru-cache";
import { PreparedOperation } from "./PreparedOperation.ts";
import { parseWithin, validateWithin } from "./parseAndValidate.ts";

/** The heap that a parsed document takes for each character of its text: measured 75 bytes, rounded up. */
const bytesPerCharacter = 128;

/** A parsed document. Several requests may choose different operations of it. */
interface Parsed {
  document: DocumentNode;
  operations: Map<OperationDefinitionNode, PreparedOperation>;
}

/** Parses and validates documents against one schema. Valid documents are cached by their text, up to a number of bytes. */
export class Documents {
  readonly #valid: LRUCache<string, Parsed>;
  readonly #schema: GraphQLSchema;
  readonly #introspection: boolean;

  /** @param introspection whether clients may read the schema; without it, errors suggest no names either */
  constructor(schema: GraphQLSchema, introspection: boolean, maxBytes: number) {
    this.#valid = new LRUCache({ maxSize: maxBytes });
    this.#schema = schema;
    this.#introspection = introspection;
  }

  /** The heap that the cached documents take, roughly, in bytes. */
  get size(): number {
    return this.#valid.calculatedSize;
  }

  /** Whether the document is cached. */
  has(query: string): boolean {
    return this.#valid.has(query);
  }

  /**
   * @param operationName missing, null or empty when the document has one operation
   * @param isTrusted whether the operator has chosen the text: it has no limits
   * @throws GRAPHQL_PARSE_FAILED, GRAPHQL_VALIDATION_FAILED without such an operation, or VALIDATION_ERROR when the text exceeds a limit
   */
  prepare(query: string, operationName?: string | null, isTrusted = false): PreparedOperation {
    const { document, operations } = this.#valid.get(query) ?? {
      document: storableDocument(parseWithin(query, isTrusted)),
      operations: new Map(),
    };
    const operation = selectOperation(document, operationName);
    const prepared = operations.get(operation) ?? new PreparedOperation(this.#schema, document, operation);
    operations.set(operation, prepared);
    return prepared;
  }

  /** The errors of a text that the operator has chosen, of any number of operations. */
  check(query: string): readonly Error[] {
    try {
      return validateWithin(this.#schema, parseWithin(query, true), { introspection: true });
    } catch (error) {
      return [error as Error];
    }
  }

  /**
   * Validates a document. Only a valid one is remembered: endless different documents that are refused take no memory.
   *
   * @param prepared from prepare() with the same text, within the limits
   */
  validate(query: string, prepared: PreparedOperation): GraphQLError[] {
    const { document, operation } = prepared;
    if (this.#valid.peek(query)?.document === document) return [];
    const errors = validateWithin(this.#schema, document, { introspection: this.#introspection });
    const size = 1 + query.length * bytesPerCharacter;
    if (errors.length === 0)
      this.#valid.set(query, { document, operations: new Map([[operation, prepared]]) }, { size });
    return errors;
  }
}

/**
 * The operation to execute.
 *
 * @param operationName missing, null or empty when the document has one operation
 * @throws GRAPHQL_VALIDATION_FAILED when no operation has that name, or none is named and there are several
 */
export function selectOperation(document: DocumentNode, operationName?: string | null): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [found, another] = operationName
    ? operations.filter(({ name }) => name?.value === operationName).slice(0, 1)
    : operations;
  if (found && !another) return found;
  if (operations.length === 0) throw invalid("The document has no operation.");
  throw invalid(
    operationName
      ? "The document has no operation of this name."
      : "The document has several operations: operationName must name one.",
  );
}

function invalid(message: string): ApiError {
  return new ApiError("GRAPHQL_VALIDATION_FAILED", message);
}
