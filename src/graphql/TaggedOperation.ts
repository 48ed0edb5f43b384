import { randomBytes } from "node:crypto";
import {
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { rowTag } from "postgraphile-change-feed";
import { PreparedOperation } from "./request/PreparedOperation.ts";

/** More rows than this are named by their tables: proxies bound the length of headers. */
const maxRows = 100;

/**
 * An operation that also asks for the key of each row that it shows, so that its response can name what it depends on
 * (src/graphql/schema/CacheTagsPlugin.ts).
 */
export class TaggedOperation {
  static readonly #known = new WeakMap<PreparedOperation, TaggedOperation>();
  /** To be executed in place of the client's. */
  readonly prepared: PreparedOperation;
  /** Begins the names of the keys in the result. Neither a client nor a value of JSON has it. */
  readonly #prefix = `key_${randomBytes(8).toString("hex")}_`;
  /** By what follows the prefix. */
  readonly #tables: string[] = [];
  readonly #dependsOn = new Set<string>();

  private constructor({ schema, document, operation }: PreparedOperation) {
    const definitions = document.definitions.filter((each) => each === operation || each.kind === "FragmentDefinition");
    const asked = this.#withKeys({ ...document, definitions }, new TypeInfo(schema));
    const isOperation = ({ kind }: DefinitionNode) => kind === Kind.OPERATION_DEFINITION;
    this.prepared = new PreparedOperation(
      schema,
      asked,
      asked.definitions.find(isOperation) as OperationDefinitionNode,
    );
  }

  /** @param prepared a valid query. Its tagged one is made once */
  static of(prepared: PreparedOperation): TaggedOperation {
    const known = TaggedOperation.#known.get(prepared) ?? new TaggedOperation(prepared);
    TaggedOperation.#known.set(prepared, known);
    return known;
  }

  #withKeys(document: DocumentNode, types: TypeInfo): DocumentNode {
    const visitor = visitWithTypeInfo(types, {
      Field: () => {
        for (const tag of types.getFieldDef()?.extensions.dependsOn ?? []) this.#dependsOn.add(tag);
      },
      SelectionSet: {
        leave: (set) => {
          const type = types.getParentType();
          const key = isObjectType(type) && Object.values(type.getFields()).find(({ extensions }) => extensions.keyOf);
          return key ? { ...set, selections: [...set.selections, this.#keyField(key)] } : undefined;
        },
      },
    });
    return visit(document, visitor);
  }

  #keyField({ name, extensions: { keyOf = "" } }: { name: string; extensions: { keyOf?: string } }): FieldNode {
    if (!this.#tables.includes(keyOf)) this.#tables.push(keyOf);
    const alias = { kind: Kind.NAME, value: `${this.#prefix}${this.#tables.indexOf(keyOf)}` } as const;
    return { kind: Kind.FIELD, alias, name: { kind: Kind.NAME, value: name } };
  }

  /**
   * Takes the keys out of the data of a result.
   *
   * @returns the tags of the response: `schema.table` for what depends on all rows of a table, `schema.table:key` for a row, and `computed`
   */
  takeTags(data: unknown): string[] {
    const rows = new Map<string, string>();
    this.#takeKeys(data, rows);
    const tables = new Set(this.#dependsOn);
    if (rows.size > maxRows) for (const table of rows.values()) tables.add(table);
    return [...tables, ...[...rows].flatMap(([tag, table]) => (tables.has(table) ? [] : [tag]))];
  }

  #takeKeys(value: unknown, rows: Map<string, string>): void {
    if (value === null || typeof value !== "object") return;
    const object = value as Record<string, unknown>;
    for (const name in object) {
      if (!name.startsWith(this.#prefix)) {
        this.#takeKeys(object[name], rows);
        continue;
      }
      const table = this.#tables[Number(name.slice(this.#prefix.length))] as string;
      rows.set(rowTag(table, String(object[name])), table);
      delete object[name];
    }
  }
}
