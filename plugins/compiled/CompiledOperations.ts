import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from "graphql";
import { LRUCache } from "lru-cache";
import { type CompiledStatement, compile } from "./compile.ts";
import { NotCompiled } from "./NotCompiled.ts";

/** An operation's statements differ by the values of some variables, such as a list's limit. */
interface StatementKey {
  id: number;
  names: readonly string[];
  byValue: Set<string>;
}

/** The heap that a statement takes besides its text, roughly, in bytes. */
const bytesPerStatement = 2_048;

/** The bounds of CompiledOperations. */
export interface CompiledOptions {
  /** The heap for the statements, roughly. */
  cacheBytes: number;
  /** The length of the longest result. Only mutations are checked, before they are committed. */
  maxBytes?: number;
}

/** The statements of one schema's operations, bounded by bytes. The least recently used ones are dropped first. */
export class CompiledOperations {
  readonly #schema: GraphQLSchema;
  readonly #statements: LRUCache<string, { statements: readonly CompiledStatement[] | undefined }>;
  /** Documents are cached by their text, so an operation is the same object each time it is requested. */
  readonly #known = new WeakMap<OperationDefinitionNode, StatementKey>();
  readonly #maxBytes: number;
  #count = 0;

  constructor(schema: GraphQLSchema, { cacheBytes, maxBytes = Number.POSITIVE_INFINITY }: CompiledOptions) {
    this.#schema = schema;
    this.#maxBytes = maxBytes;
    this.#statements = new LRUCache({ maxSize: cacheBytes });
  }

  /** The heap that the statements take, roughly, in bytes. */
  get size(): number {
    return this.#statements.calculatedSize;
  }

  /** The statements of an operation, the last one with its result; undefined if the engine must. @param variables coerced */
  find(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ): readonly CompiledStatement[] | undefined {
    const known = this.#know(operation);
    const found = this.#statements.get(keyOf(known, variables));
    if (found) return found.statements;
    const statements = this.#compile(document, operation, variables, known.byValue);
    const key = keyOf(known, variables);
    const texts = [key, ...(statements ?? []).map(({ text }) => text)].reduce((sum, { length }) => sum + length, 0);
    // Constants may keep the document's text, of which they are parts.
    const constants = document.loc?.end ?? 0;
    this.#statements.set(key, { statements }, { size: bytesPerStatement + 2 * (texts + constants) });
    return statements;
  }

  #know(operation: OperationDefinitionNode): StatementKey {
    const known = this.#known.get(operation);
    if (known) return known;
    const names = operation.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    const made = { id: ++this.#count, names, byValue: new Set<string>() };
    this.#known.set(operation, made);
    return made;
  }

  #compile(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
    byValue: Set<string>,
  ): readonly CompiledStatement[] | undefined {
    try {
      return compile(this.#schema, this.#maxBytes, document, operation, variables, byValue);
    } catch (error) {
      if (error instanceof NotCompiled) return undefined;
      throw error;
    }
  }
}

/** Requests with the same key run the same statement. The set of names only grows, and with it the key. */
function keyOf({ id, names, byValue }: StatementKey, variables: Readonly<Record<string, unknown>>): string {
  const parts = names.map((name) => {
    const value = variables[name];
    if (byValue.has(name)) return JSON.stringify(value) ?? "";
    return value === undefined ? "" : value === null ? "null" : "?";
  });
  return `${id} ${byValue.size} ${parts.join()}`;
}
