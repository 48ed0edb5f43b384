import {
  type ConstValueNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  isNonNullType,
  Kind,
  valueFromAST,
} from "graphql";
import type { PgCodec } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import { bakedInputRuntime } from "postgraphile/grafast";
import type { Parameter } from "./FieldArguments.ts";
import type { GivenArguments } from "./fieldSource.ts";
import { NotCompiled } from "./NotCompiled.ts";
import type { Variables } from "./Variables.ts";

interface Argument {
  type: GraphQLInputType;
  isRequired: boolean;
  isGiven: boolean;
  read: Read;
}

/** The arguments of a mutation, input objects and lists included. All of them are parameters. */
export class MutationArguments implements GivenArguments {
  readonly #schema: GraphQLSchema;
  readonly #arguments: ReadonlyMap<string, Argument>;

  /** @param covered the arguments that the statement knows */
  constructor(
    schema: GraphQLSchema,
    field: GraphQLField<unknown, unknown>,
    { arguments: nodes = [] }: FieldNode,
    covered: readonly string[],
    variables: Variables,
  ) {
    this.#schema = schema;
    const given = new Map(nodes.map(({ name, value }) => [name.value, value]));
    if (field.args.some(({ name }) => !covered.includes(name))) throw new NotCompiled();
    this.#arguments = new Map(
      field.args.map(({ name, type, defaultValue }) => {
        const node = given.get(name);
        const isGiven = node && (node.kind !== Kind.VARIABLE || variables.isGiven(node.name.value));
        const read = isGiven ? reader(node as ConstValueNode, type) : constant(defaultValue);
        const hasValue = isGiven === true || defaultValue !== undefined;
        const isRequired = isNonNullType(type);
        // Its variable is not given. The engine words the error.
        if (isRequired && !hasValue) throw new NotCompiled();
        return [name, { type, isRequired, isGiven: hasValue, read }];
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
    return sql`${sql.value(parameterOf(this.#schema, argument, codec) as never)}::${codec.sqlType}`;
  }
}

type Read = (variables: Readonly<Record<string, unknown>>) => unknown;

function parameterOf(schema: GraphQLSchema, { type, isRequired, read }: Argument, codec: PgCodec): Parameter {
  return (variables) => {
    const value = bakedInputRuntime(schema, type, read(variables)) ?? null;
    // The engine words the error.
    if (value === null && isRequired) throw new NotCompiled();
    return value === null ? null : String(codec.toPg(value));
  };
}

function constant(value: unknown): Read {
  return () => value;
}

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
