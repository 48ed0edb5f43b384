import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";

/** Whether the result has no data, and all of its errors are of one kind. */
export function failedEntirely(
  result: FormattedExecutionResult,
  isOfKind: (error: GraphQLFormattedError) => boolean,
): boolean {
  const { errors = [] } = result;
  const isFailed = errors.length > 0 && errors.every(isOfKind);
  // Read last: reading the data of a compiled answer parses it.
  return isFailed && Object.values(result.data ?? {}).every((value) => value === null);
}
