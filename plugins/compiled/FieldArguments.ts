import {
  type ConstValueNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getNullableType,
  isLeafType,
  Kind,
  type ValueNode,
  valueFromAST,
} from "graphql";
import { isEnumCodec, type PgCodec } from "postgraphile/@dataplan/pg";
import { type SQL, sql } from "postgraphile/@dataplan/pg/pg-sql2";
import type { GivenArguments } from "./fieldSource.ts";
import { NotCompiled } from "./NotCompiled.ts";
import type { Variables } from "./Variables.ts";

/**
 * Gives a parameter of the statement its value for one request, in PostgreSQL's text form. The cache keeps it. A closure keeps all
 * that its scope captured, so functions at file scope make it from the few values that it needs, and never from a request's variables.
 */
export type Parameter = (variables: Readonly<Record<string, unknown>>) => string | null;

type Argument = { variable: string } | { constant: unknown } | undefined;

/** The arguments of one field, as GivenArguments. */
export class FieldArguments implements GivenArguments {
  readonly #arguments: ReadonlyMap<string, Argument>;
  readonly #variables: Variables;

  /** @param covered the arguments that the statement knows. Any other one is the engine's, as are lists and objects. */
  constructor(
    field: GraphQLField<unknown, unknown>,
    node: FieldNode,
    covered: readonly string[],
    variables: Variables,
  ) {
    this.#variables = variables;
    const given = new Map(node.arguments?.map(({ name, value }) => [name.value, value]));
    this.#arguments = new Map(
      field.args.map((argument) => [argument.name, argumentOf(argument, given.get(argument.name), variables)]),
    );
    for (const { name, type } of field.args) {
      const isKnown = covered.includes(name) && isLeafType(getNullableType(type));
      if (this.#arguments.get(name) !== undefined && !isKnown) throw new NotCompiled();
    }
  }

  value(name: string): unknown {
    const argument = this.#arguments.get(name);
    if (!argument) return undefined;
    return "variable" in argument ? this.#variables.value(argument.variable) : argument.constant;
  }

  isPresent(name: string): boolean {
    const argument = this.#arguments.get(name);
    if (!argument) return false;
    if ("constant" in argument) return argument.constant !== null && argument.constant !== undefined;
    return this.#variables.isPresent(argument.variable);
  }

  isGiven(name: string): boolean {
    return this.#arguments.get(name) !== undefined;
  }

  /** A value that the document names stands in the statement if it is a name of an enum: the plan leaves out what it rules out. */
  parameter(name: string, codec: PgCodec): SQL {
    const write = writer(codec);
    const argument = this.#arguments.get(name);
    const constant = argument && "constant" in argument ? argument.constant : undefined;
    const label = isEnumCodec(codec) && typeof constant === "string" ? write(constant) : "";
    return sql`${/^\w+$/.test(label) ? sql.literal(label) : this.text(name, write)}::${codec.sqlType}`;
  }

  /** A parameter whose text is made from the argument's value. `write` may throw NotCompiled. */
  text(name: string, write: (value: unknown) => string): SQL {
    return sql.value(parameterOf(this.#arguments.get(name), write) as never);
  }
}

function parameterOf(argument: Argument, write: (value: unknown) => string): Parameter {
  return (variables) => {
    if (!argument) return null;
    const value = "variable" in argument ? variables[argument.variable] : argument.constant;
    return value === null || value === undefined ? null : write(value);
  };
}

function writer(codec: PgCodec): (value: unknown) => string {
  return (value) => String(codec.toPg(value));
}

function argumentOf(
  { type, defaultValue }: GraphQLArgument,
  node: ValueNode | undefined,
  variables: Variables,
): Argument {
  const byDefault = defaultValue === undefined ? undefined : { constant: defaultValue };
  if (!node) return byDefault;
  if (node.kind !== Kind.VARIABLE) return { constant: valueFromAST(node as ConstValueNode, type) };
  const variable = node.name.value;
  return variables.isGiven(variable) ? { variable } : byDefault;
}
