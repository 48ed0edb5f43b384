import {
  type ConstValueNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  valueFromAST,
} from "graphql";
import type { PgCodec } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { bakedInputRuntime } from "postgraphile/grafast";
import type { GivenArguments } from "../../../plugins/support/reads.ts";
import { storableVariables } from "../request/storable.ts";
import type { Parameter } from "./FieldArguments.ts";
import { NotCompiled } from "./NotCompiled.ts";
import type { Variables } from "./Variables.ts";

/** The arguments of a mutation, input objects and lists included. All of them are parameters. */
export class MutationArguments implements GivenArguments {
  readonly #schema: GraphQLSchema;
  readonly #arguments: ReadonlyMap<string, { type: GraphQLInputType; isGiven: boolean; read: Read }>;

  /** @param covered the arguments that the statement knows */
  constructor(
    schema: GraphQLSchema,
    field: GraphQLField<unknown, unknown>,
    { arguments: nodes = [] }: FieldNode,
    covered: readonly string[],
    variables: Variables,
  ) {
    this.#schema = schema;
    if (field.args.some((argument) => !covered.includes(argument.name) || hasFormerNames(argument))) {
      throw new NotCompiled();
    }
    const given = new Map(nodes.map(({ name, value }) => [name.value, value]));
    this.#arguments = new Map(
      field.args.map((argument) => {
        const { name, type, defaultValue } = argument;
        const node = given.get(name);
        const isGiven = node && (node.kind !== Kind.VARIABLE || variables.isGiven(node.name.value));
        const read = isGiven ? reader(node as ConstValueNode, type) : () => defaultValue;
        return [name, { type, isGiven: isGiven === true || defaultValue !== undefined, read }];
      }),
    );
  }

  /** A mutation is compiled for any value. */
  value(): never {
    throw new NotCompiled();
  }

  isPresent(): never {
    throw new NotCompiled();
  }

  isGiven(name: string): boolean {
    return this.#arguments.get(name)?.isGiven === true;
  }

  parameter(name: string, codec: PgCodec): SQL {
    const argument = this.#arguments.get(name);
    if (!argument) throw new NotCompiled();
    const { type, read } = argument;
    const parameter: Parameter = (variables) => {
      const value = bakedInputRuntime(this.#schema, type, storableVariables(read(variables))) ?? null;
      // The engine words the error.
      if (value === null && isNonNullType(type)) throw new NotCompiled();
      return value === null ? null : String(codec.toPg(value));
    };
    return sql`${sql.value(parameter as never)}::${codec.sqlType}`;
  }
}

type Read = (variables: Readonly<Record<string, unknown>>) => unknown;

/** Reads a value, for which it keeps nothing else of the document. */
function reader(node: ConstValueNode, type: GraphQLInputType): Read {
  // A node's location refers to all tokens of the document.
  const alone: ConstValueNode = JSON.parse(JSON.stringify(node));
  return (variables) => {
    const value = valueFromAST(alone, type, variables);
    if (value === undefined) throw new NotCompiled();
    return value;
  };
}

/** Whether an input is accepted under former names, which the engine translates (plugins/FormerInputsPlugin.ts). */
function hasFormerNames({ type, extensions }: Pick<GraphQLArgument, "type" | "extensions">, seen = new Set()): boolean {
  if (extensions.hasFormerName || extensions.formerNameOf) return true;
  const named = getNamedType(type);
  if (!isInputObjectType(named) || seen.has(named)) return false;
  seen.add(named);
  return Object.values(named.getFields()).some((field) => hasFormerNames(field, seen));
}
