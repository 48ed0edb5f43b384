/** What a key, a number or a pair of brackets comes to, about. */
const smallBytes = 8;

/**
 * About how many bytes an answer has as JSON. To know that before it is one matters: the same text may stand in it many times.
 *
 * @param max counting stops once it is more
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
