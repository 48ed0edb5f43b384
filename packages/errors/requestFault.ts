import {
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  valueFromASTUntyped,
} from "graphql";
import pg from "pg";
import { type ColumnError, ColumnErrors } from "./ColumnErrors.ts";
import { camelCase } from "./formatError.ts";
import { NotOfRequest } from "./NotOfRequest.ts";
import { unreadParameter, unreadText, valueErrorCodes } from "./sqlStates.ts";

/**
 * Decides whose value it was: keeps the errors of columns that the field's input names, and gives all others to the service. A constraint
 * is reported once. An error without columns, or of a field that the schema lacks, stays as it is.
 *
 * @param values the coerced variables
 */
export function judged(
  error: GraphQLError,
  schema: GraphQLSchema,
  values: Readonly<Record<string, unknown>>,
): GraphQLError {
  const { originalError: cause } = error;
  const parameter = cause instanceof pg.DatabaseError ? unreadParameter(cause) : undefined;
  const found = parameter === undefined ? columnErrorsIn(cause) : undefined;
  if (parameter === undefined && !found) return error;
  const named = inputOf(error, schema, values) ?? (found?.isConstraint ? nothing : undefined);
  if (!named) return error;
  if (parameter !== undefined) return located(error, parameterErrors(cause as pg.DatabaseError, named));
  const { errors, isConstraint, isOfRow, isOfServer } = found as Found;
  const kept = (isOfServer ? [] : errors).flatMap((each) => {
    const column = (each.columns ?? [each.column]).find((name) => isNamed(name, each.code, isOfRow, named));
    return column === undefined ? [] : [{ ...each, column }];
  });
  if (kept.length > 0) return located(error, new ColumnErrors(isConstraint ? kept.slice(0, 1) : kept, { cause }));
  const original = cause instanceof ColumnErrors ? cause : new ColumnErrors(errors, { cause });
  return located(error, new NotOfRequest(original));
}

interface Found {
  errors: readonly ColumnError[];
  /** PostgreSQL has found one broken constraint. */
  isConstraint: boolean;
  /** The row was checked, not a function's arguments. */
  isOfRow: boolean;
  /** A trigger wrote the row. */
  isOfServer: boolean;
}

function columnErrorsIn(cause: unknown): Found | undefined {
  if (cause instanceof ColumnErrors) {
    const { where } = (cause.cause ?? {}) as pg.DatabaseError;
    const isOfServer = cause.isOfServer ?? triggersIn(where).length > 0;
    return { errors: cause.errors, isConstraint: true, isOfRow: true, isOfServer };
  }
  if (!(cause instanceof pg.DatabaseError) || cause.code !== "FAULT" || !cause.detail) return undefined;
  const triggers = triggersIn(cause.where);
  const isValidator = /validate_/.test(triggers[0] ?? "");
  const errors = JSON.parse(cause.detail);
  return { errors, isConstraint: false, isOfRow: isValidator, isOfServer: isValidator && triggers.length > 1 };
}

/** The functions without arguments in an error's context, the innermost first: triggers have none. `shop.stamp`. */
export function triggersIn(where = ""): string[] {
  return [...where.matchAll(/^(?!SQL ).*?([^\s()]+)\(\) \S+ \d+ /gm)].map(([, name = ""]) => name);
}

/** What the request passes to a field: `given` are the names with a value, `known` all that it could have given. */
interface Input {
  known: ReadonlySet<string>;
  given: ReadonlyMap<string, unknown>;
}

const nothing: Input = { known: new Set(), given: new Map() };

function isNamed(column: string, code: string, isOfRow: boolean, { known, given }: Input): boolean {
  const name = camelCase(column);
  // What is missing is the request's, if it could have given it. What a default or the server put there is not.
  const names = isOfRow && code !== "REQUIRED" ? given : known;
  return column === "" ? !isOfRow : names.has(name);
}

function inputOf(
  error: GraphQLError,
  schema: GraphQLSchema,
  values: Readonly<Record<string, unknown>>,
): Input | undefined {
  const node = error.nodes?.find((candidate) => candidate.kind === Kind.FIELD);
  if (node?.kind !== Kind.FIELD || error.path?.length !== 1) return undefined;
  const field = [schema.getMutationType(), schema.getQueryType()]
    .map((type) => type?.getFields()[node.name.value])
    .find((candidate) => candidate !== undefined);
  if (!field) return undefined;
  const known = new Set<string>();
  const given = new Map<string, unknown>();
  for (const argument of field.args) {
    const value = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
    note(argument, value && valueFromASTUntyped(value, values));
  }
  return { known, given };

  function note({ name, type }: Pick<GraphQLArgument, "name"> & { type: GraphQLInputType }, value: unknown): void {
    known.add(name);
    if (value !== undefined && value !== null) given.set(name, value);
    const inner = getNamedType(type);
    if (!isInputObjectType(inner)) return;
    for (const one of [value].flat()) {
      for (const each of Object.values(inner.getFields())) {
        note(each, (one as Record<string, unknown> | null | undefined)?.[each.name]);
      }
    }
  }
}

function parameterErrors(error: pg.DatabaseError, { given }: Input): ColumnErrors {
  const text = unreadText(error);
  const [name] = [...given].find(([, value]) => String(value) === text) ?? [...given.keys()].slice(0, 1);
  const code = valueErrorCodes[error.code ?? ""] ?? "INVALID";
  const message = "This value cannot be stored.";
  return new ColumnErrors([{ column: name ?? "", code, message }], { cause: error });
}

function located({ message, nodes, path }: GraphQLError, originalError: Error): GraphQLError {
  return new GraphQLError(message, { nodes: nodes ?? null, path: path ?? null, originalError });
}
