import { version } from "./support/version.ts";
import "postgraphile";
import { type ColumnError, ColumnErrors } from "@content-service/errors/ColumnErrors.ts";
import { judged } from "@content-service/errors/requestFault.ts";
import { constraintErrorCodes } from "@content-service/errors/sqlStates.ts";
import { GraphQLError, type GraphQLSchema } from "graphql";
import pg from "pg";
import { type Build, resourcesOf } from "./support/fields.ts";

declare global {
  namespace DataplanPg {
    interface PgResourceExtensions {
      /** The table's constraints by name. */
      constraints?: Record<string, TableConstraint>;
    }
  }
}

export interface TableConstraint {
  /** By their smart tags `@name`, else by their names. */
  columns: readonly string[];
  /** Its comment, which clients read. */
  message: string | undefined;
  /** Of the validation error: the smart tag `@code`. */
  code: string | undefined;
}

/** The constraints of a schema's tables: `schema.table.constraint`. */
const bySchema = new WeakMap<GraphQLSchema, ReadonlyMap<string, TableConstraint>>();

/**
 * A broken constraint is a validation error of the first of its columns that the input names, with the message of its comment and the code of its tag `@code`.
 * Without a comment, the message is general, so that clients see no names of SQL.
 */
export const ConstraintErrorsPlugin: GraphileConfig.Plugin = {
  name: "ConstraintErrorsPlugin",
  version,
  description: "Makes validation errors of broken constraints whose columns the input names.",
  schema: {
    hooks: {
      finalize(schema, build) {
        bySchema.set(schema, constraintsOf(build));
        return schema;
      },
    },
  },
  grafast: {
    middleware: {
      async execute(next, { args }) {
        const result = await next();
        if ("errors" in result && result.errors) {
          const { schema, variableValues } = args;
          const errors = result.errors.map((error) => judged(withColumns(error, schema), schema, variableValues ?? {}));
          return { ...result, errors };
        }
        return result;
      },
    },
  },
};

function constraintsOf(build: Pick<Build, "pgResources">): ReadonlyMap<string, TableConstraint> {
  return new Map(
    resourcesOf(build).flatMap(({ extensions }) => {
      const { schemaName, name } = extensions?.pg ?? {};
      return Object.entries(extensions?.constraints ?? {}).map(
        ([constraint, found]) => [`${schemaName}.${name}.${constraint}`, found] as const,
      );
    }),
  );
}

function withColumns(error: GraphQLError, schema: GraphQLSchema): GraphQLError {
  const { originalError: cause, nodes, path, message } = error;
  const errors = cause instanceof pg.DatabaseError ? columnErrors(cause, schema) : [];
  if (errors.length === 0) return error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    path: path ?? null,
    originalError: new ColumnErrors(errors, { cause }),
  });
}

function columnErrors({ code = "", ...error }: pg.DatabaseError, schema: GraphQLSchema): ColumnError[] {
  const byDefault = constraintErrorCodes[code];
  if (byDefault === undefined) return [];
  if (error.column) return [{ column: error.column, code: byDefault, message: "This is required." }];
  const found = bySchema.get(schema)?.get(`${error.schema}.${error.table}.${error.constraint}`);
  const columns = found && found.columns.length > 0 ? found.columns : [""];
  return columns.map((column) => ({
    column,
    code: found?.code ?? byDefault,
    message: found?.message ?? "This value is not allowed.",
  }));
}
