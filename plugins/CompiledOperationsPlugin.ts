import { version } from "./support/version.ts";
import "postgraphile";
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from "graphql";
import type { PgClient, WithPgClient } from "postgraphile/@dataplan/pg";
import { CompiledOperations } from "./compiled/CompiledOperations.ts";
import type { CompiledStatement } from "./compiled/compile.ts";
import { failedOperation } from "./compiled/failedOperation.ts";
import { isFinal } from "./compiled/isFinal.ts";
import { mayHaveNull, nullErrors } from "./compiled/nullErrors.ts";
import { parseExactly } from "./support/exactCodecs.ts";

type Execute = NonNullable<NonNullable<GraphileConfig.Plugin["grafast"]>["middleware"]>["execute"];
type Next = Parameters<Exclude<NonNullable<Execute>, { callback: unknown }>>[0];
type Args = Parameters<Exclude<NonNullable<Execute>, { callback: unknown }>>[1]["args"];

/** An operation that is compiled, and what runs it. */
interface Compiled {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  statements: readonly CompiledStatement[];
  withPgClient: WithPgClient;
  pgSettings: Record<string, string | undefined> | null;
}

/**
 * Runs an operation as SQL that returns its result, if it can be compiled; else the engine executes it. The statements run through the
 * request's own `withPgClient` and `pgSettings`, so the caller's role and settings hold.
 *
 * With several entries in `pgServices`, the engine executes all operations: a statement cannot span databases.
 *
 * @param cacheBytes the heap for the statements of a schema, roughly
 */
export function compiledOperationsPlugin(cacheBytes: number): GraphileConfig.Plugin {
  const bySchema = new WeakMap<GraphQLSchema, CompiledOperations>();
  const operationsOf = (schema: GraphQLSchema) => {
    const operations = bySchema.get(schema) ?? new CompiledOperations(schema, { cacheBytes });
    bySchema.set(schema, operations);
    return operations;
  };
  return {
    name: "CompiledOperationsPlugin",
    version,
    description: "Runs operations as SQL statements that return their results.",
    grafast: {
      middleware: {
        execute(next, { args }) {
          const compiled = compiledOf(args, operationsOf);
          return compiled ? run(next, args, compiled) : next();
        },
      },
    },
  };
}

function compiledOf(args: Args, operationsOf: (schema: GraphQLSchema) => CompiledOperations): Compiled | undefined {
  const { schema, document, operationName, variableValues, resolvedPreset, contextValue, onError } = args;
  const [service, ...others] = resolvedPreset?.pgServices ?? [];
  if (!service || others.length > 0) return undefined;
  const { withPgClientKey = "withPgClient", pgSettingsKey = "pgSettings" } = service;
  const context = contextValue as Record<string, unknown>;
  const withPgClient = context[withPgClientKey] as WithPgClient | undefined;
  const operation = getOperationAST(document, operationName);
  if (!withPgClient || !operation || operation.operation === "subscription") return undefined;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (!coerced) return undefined;
  // A variable with a name that every object has, such as `toString`, is missing where it is not given.
  const variables: Record<string, unknown> = Object.assign(Object.create(null), coerced);
  const statements = operationsOf(schema).find(document, operation, variables);
  // The engine decides about the data beside an error, if the request says how.
  if (onError !== undefined && statements?.some(({ hasNullErrors }) => hasNullErrors)) return undefined;
  const pgSettings = (context[pgSettingsKey] as Compiled["pgSettings"]) ?? null;
  return statements && { schema, document, operation, variables, statements, withPgClient, pgSettings };
}

async function run(next: Next, args: Args, compiled: Compiled): Promise<object> {
  try {
    return { ...resultOf(await runStatements(compiled), args, compiled), ...explained(args, compiled) };
  } catch (error) {
    const isUndone = error instanceof ResultNotRead;
    const cause = isUndone ? error.cause : error;
    const { schema, document, operation, variables } = compiled;
    const { data, errors } = failedOperation(schema, document, operation, variables, cause as Error);
    const isDone = operation.operation === "mutation" && !isUndone;
    if (isFinal(cause, { isDone, rootFields: errors.length })) {
      return { data: args.onError === "HALT" ? null : data, errors };
    }
  }
  return (await next()) as object;
}

/** A mutation has been rolled back, because the statement that reads its result has failed. */
class ResultNotRead extends Error {}

/** @returns `data` as JSON text */
function runStatements({ statements, variables, withPgClient, pgSettings }: Compiled): Promise<string> {
  const queries = statements.map(({ name, text, parameters }) => ({
    name,
    text,
    values: parameters.map((parameter) => parameter(variables)),
    arrayMode: true as const,
  }));
  const [first, second] = queries as [(typeof queries)[0], (typeof queries)[0]?];
  const read = async (client: PgClient, query: typeof first) => {
    const { rows } = await client.query<readonly [string]>(query);
    return (rows as [readonly [string]])[0][0];
  };
  return withPgClient(pgSettings, (client) => {
    if (!second) return read(client, first);
    return client.withTransaction(async (transaction) => {
      await transaction.query(first);
      return read(transaction, second).catch((cause) => {
        throw new ResultNotRead("The result cannot be read", { cause });
      });
    });
  });
}

function resultOf(data: string, args: Args, { schema, document, operation, variables, statements }: Compiled): object {
  if (mayHaveNull(data, statements)) {
    const parsed = parseExactly(data);
    const errors = nullErrors(schema, document, operation, variables, parsed);
    if (errors.length > 0) return { data: parsed, errors };
  }
  return { data: takesText(args) ? data : parseExactly(data) };
}

/** Whether the server writes a text in `data` as it is. Grafserv does so over HTTP, and not over WebSockets. */
function takesText({ outputDataAsString, requestContext, resolvedPreset }: Args): boolean {
  const isHttp = (requestContext as { http?: unknown } | undefined)?.http !== undefined;
  return outputDataAsString ?? (isHttp && resolvedPreset?.grafserv?.outputDataAsString === true);
}

/** For GraphiQL, which shows the SQL of an operation. */
function explained({ resolvedPreset }: Args, { statements }: Compiled): object | undefined {
  const explain = resolvedPreset?.grafast?.explain;
  if (explain !== true && !(Array.isArray(explain) && explain.includes("sql"))) return undefined;
  const operations = statements.map(({ text }) => ({ type: "sql", title: "Compiled", query: text }));
  return { extensions: { explain: { operations } } };
}
