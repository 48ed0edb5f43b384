/** A name in SQL, quoted where it must be: `shop."Big things"`. Keywords are not known. */
export function sqlName(...parts: string[]): string {
  return parts.map((part) => (isPlain(part) ? part : `"${part.replaceAll('"', '""')}"`)).join(".");
}

/** Whether SQL needs no quotes for a name. */
export function isPlain(name: string): boolean {
  return /^[a-z_][a-z0-9_]*$/.test(name);
}
