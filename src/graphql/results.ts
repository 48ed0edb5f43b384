import type { FormattedExecutionResult, GraphQLFormattedError } from "graphql";

/** The result of an operation. With `text`, that of its data, `result` is parsed when somebody reads the data. */
export interface OperationResult {
  result: FormattedExecutionResult;
  text?: string | undefined;
}

/** A result without errors, from the text of its data. */
export function textResult(text: string): OperationResult {
  let parsed: FormattedExecutionResult["data"];
  const result = {
    get data() {
      parsed ??= JSON.parse(text);
      return parsed as NonNullable<typeof parsed>;
    },
  };
  return { result, text };
}

/** The result as JSON, in UTF-8. */
export function bytesOf({ result, text }: OperationResult, extensions?: Record<string, unknown>): Buffer {
  if (text === undefined) return bytesOfText(JSON.stringify(extensions ? { ...result, extensions } : result));
  const end = extensions ? `,"extensions":${JSON.stringify(extensions)}}` : "}";
  return bytesOfText('{"data":', text, end);
}

/** In memory of their own: a part of one of Node's pools would keep all of it, 8 KB, as long as one event waits. */
function bytesOfText(...parts: string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end);
  return bytes;
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
