import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";

/** The result of an operation. With `json`, its text, `result` is parsed when somebody reads its data. */
export interface OperationResult {
  result: FormattedExecutionResult;
  json?: string;
}

/** A result without errors, from the text of its data. */
export function jsonResult(data: string): OperationResult {
  let parsed: FormattedExecutionResult["data"];
  const result = {
    get data() {
      parsed ??= JSON.parse(data);
      return parsed as NonNullable<typeof parsed>;
    },
  };
  return { result, json: `{"data":${data}}` };
}

/** Adds extensions to the text of a result. */
export function withExtensions(json: string, extensions: Record<string, unknown>): string {
  return `${json.slice(0, -1)},"extensions":${JSON.stringify(extensions)}}`;
}

/** Whether the result has no data, and all of its errors are of one kind. */
export function failedEntirely(
  result: FormattedExecutionResult,
  isOfKind: (error: GraphQLFormattedError) => boolean,
): boolean {
  const { errors = [] } = result;
  const isFailed = errors.length > 0 && errors.every(isOfKind);
  // Read last: reading the data of a compiled result parses it.
  return isFailed && Object.values(result.data ?? {}).every((value) => value === null);
}

/** A rough size for a key, a number or a pair of brackets. */
const smallBytes = 8;

/**
 * Estimates the size of a result as JSON, in bytes, before it is serialised: the same text may occur in it many times.
 *
 * @param max counting stops above it
 */
export function resultSize(value: unknown, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (value === null || typeof value !== "object") return smallBytes;
  let size = smallBytes;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += resultSize(item, max - size);
      if (size > max) return size;
    }
    return size;
  }
  for (const key in value) {
    size += key.length + 4 + resultSize((value as Record<string, unknown>)[key], max - size);
    if (size > max) return size;
  }
  return size;
}
