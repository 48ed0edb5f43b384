/** A rough size for a key, a number or a pair of brackets. */
const smallBytes = 8;

/**
 * Estimates the size of an answer as JSON, in bytes, before it is serialised: the same text may occur in it many times.
 *
 * @param max counting stops above it
 */
export function answerSize(value: unknown, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (value === null || typeof value !== "object") return smallBytes;
  let size = smallBytes;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += answerSize(item, max - size);
      if (size > max) return size;
    }
    return size;
  }
  for (const key in value) {
    size += key.length + 4 + answerSize((value as Record<string, unknown>)[key], max - size);
    if (size > max) return size;
  }
  return size;
}
