import { reruns } from "@content-service/errors/reruns.ts";
import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { type GraphQLError, type OperationDefinitionNode, OperationTypeNode } from "graphql";

/** Thrown when nothing of an operation was executed, because the database has changed. A newer schema is served now. */
export class OutdatedSchema extends Error {
  constructor() {
    super("The database has changed");
  }
}

/** Raised where a compiled statement leaves the result to the engine (`fallBackToEngine` in plugins/compiled/leaf.ts). */
const undefinedObject = "42704";

/** Whether compiled statements may have failed because their schema knows what the database no longer has. */
export function mayBeOutdated(error: unknown): boolean {
  return sqlStateOf(error) !== undefinedObject && reruns.outdatedSchema.isFor(error);
}

/** The engine's words for a value that the type of its field excludes. These errors have no code. */
const excludedValue = /^(?:Enum "\w+"|\w+) cannot represent |^Cannot return null for non-nullable field /;

/**
 * Whether an operation may have failed because its schema knows what the database no longer has, and can be repeated. A query
 * changes nothing; of a mutation, each root field must have failed by itself.
 */
export function failedByOutdatedSchema(
  { operation }: OperationDefinitionNode,
  errors: readonly GraphQLError[],
  data: Record<string, unknown> | null | undefined,
): boolean {
  const outdated = errors.filter(({ originalError }) => reruns.outdatedSchema.isFor(originalError));
  // A mutation whose result has such a value was done.
  const excluded = errors.some(({ message }) => excludedValue.test(message));
  if (operation === OperationTypeNode.QUERY) return outdated.length > 0 || excluded;
  const failedRoots = outdated.filter(({ path }) => path?.length === 1);
  return failedRoots.length > 0 && failedRoots.length === Object.keys(data ?? {}).length;
}
