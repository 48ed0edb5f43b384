import { type Fragments, fragmentsOf } from "@content-service/support/fragmentsOf.ts";
import {
  type ASTNode,
  BREAK,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  TypeInfo,
  ValidationContext,
  type ValueNode,
  visit,
} from "graphql";

/**
 * One operation of a document, and what its requests ask of it whatever their variables are. Documents keeps those of valid
 * documents, so each is made once a text.
 */
export class PreparedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly type: OperationTypeNode;
  /** In any fragment, each node once. */
  readonly rootFields: readonly FieldNode[];
  /** The heap that its last result took, in bytes. */
  resultHeap: number | undefined;
  #requiredVariables: ReadonlySet<string> | undefined;

  /** @param document need not be valid */
  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.schema = schema;
    this.document = document;
    this.operation = operation;
    this.type = operation.operation;
    this.rootFields = rootFieldsOf(operation, fragmentsOf(document));
  }

  /** The names of its root fields in the schema, separated by commas. */
  get rootNames(): string {
    return [...new Set(this.rootFields.map(({ name }) => name.value))].sort().join();
  }

  /** Whether it asks for nothing but the schema: `__schema`, `__type` and `__typename`. */
  get isIntrospection(): boolean {
    return this.type === OperationTypeNode.QUERY && this.rootFields.every(({ name }) => name.value.startsWith("__"));
  }

  /**
   * Whether all root fields have the smart tag `@withoutToken` (src/graphql/schema/FieldExtensionsPlugin.ts). `__typename` alone is not enough.
   */
  get isWithoutToken(): boolean {
    const fields = this.schema.getRootType(this.type)?.getFields() ?? {};
    const names = this.rootFields.map(({ name }) => name.value).filter((name) => name !== "__typename");
    return names.length > 0 && names.every((name) => fields[name]?.extensions.isWithoutToken);
  }

  /** Whether it asks for a query with the smart tag `@noStore`. */
  get isNotStored(): boolean {
    const fields = this.schema.getRootType(this.type)?.getFields() ?? {};
    return this.rootFields.some(({ name }) => fields[name.value]?.extensions.noStore);
  }

  /** Whether it calls a mutation with the smart tag `@signsIn`. */
  get signsIn(): boolean {
    return this.#mutationsWith("signsIn").length > 0;
  }

  /** How many mutations with the smart tag `@rateLimited` it calls, under any alias. */
  get guardedCalls(): number {
    // Fields with one name in the response are one call.
    return new Set(this.#mutationsWith("isRateLimited").map(({ alias, name }) => (alias ?? name).value)).size;
  }

  #mutationsWith(extension: "isRateLimited" | "signsIn"): FieldNode[] {
    if (this.type !== OperationTypeNode.MUTATION) return [];
    const mutations = this.schema.getMutationType()?.getFields() ?? {};
    return this.rootFields.filter(({ name }) => mutations[name.value]?.extensions[extension]);
  }

  /**
   * The way from a field's arguments to the first place that uses a variable, as in `validationErrors`; the variable's name if none does.
   * Not kept: only errors need it.
   */
  pathOf(name: string): (string | number)[] {
    const fragments = fragmentsOf(this.document);
    const documents = new Set<ASTNode | undefined>([this.operation]);
    let path: (string | number)[] | undefined;
    for (const one of documents) {
      if (!one || path) continue;
      visit(one, {
        VariableDefinition: () => false,
        FragmentSpread: (node) => void documents.add(fragments.get(node.name.value)),
        Variable(node, _key, parent, _path, ancestors) {
          if (node.name.value !== name) return undefined;
          path = stepsTo(node, [...ancestors, parent]);
          return BREAK;
        },
      });
    }
    return path ?? [name];
  }

  /** The variables that are used where the schema promises a value. The document is valid. */
  get requiredVariables(): ReadonlySet<string> {
    this.#requiredVariables ??= requiredVariablesOf(this);
    return this.#requiredVariables;
  }
}

/** The argument, the fields of inputs and the positions in lists that lead to a node. */
function stepsTo(node: ASTNode, ancestors: readonly unknown[]): (string | number)[] {
  const nodes = [...ancestors, node].filter((one) => !Array.isArray(one)) as ASTNode[];
  return nodes.flatMap((one, index): (string | number)[] => {
    const parent = nodes[index - 1];
    if (one.kind === Kind.ARGUMENT || one.kind === Kind.OBJECT_FIELD) return [one.name.value];
    return parent?.kind === Kind.LIST ? [parent.values.indexOf(one as ValueNode)] : [];
  });
}

/** A fragment is read once, so cycles end. */
function rootFieldsOf(operation: OperationDefinitionNode, fragments: Fragments): FieldNode[] {
  const nodes: FieldNode[] = [];
  // A set visits what is added during the iteration, and each selection set once.
  const sets = new Set<SelectionSetNode | undefined>([operation.selectionSet]);
  for (const set of sets) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) nodes.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) sets.add(selection.selectionSet);
      else sets.add(fragments.get(selection.name.value)?.selectionSet);
    }
  }
  return nodes;
}

function requiredVariablesOf({ schema, document, operation }: PreparedOperation): ReadonlySet<string> {
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const usages = context.getRecursiveVariableUsages(operation).filter(({ type }) => isNonNullType(type));
  return new Set(usages.map(({ node }) => node.name.value));
}
