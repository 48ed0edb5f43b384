/**
 * Reads the smart tags `@describe <name> <description>`, one a line, of a function or an enum type. PostgreSQL has no
 * comments for function arguments and enum values.
 */
export function descriptionsOf(tags: Record<string, unknown> | undefined): Map<string, string> {
  const lines = [tags?.describe ?? []].flat().map(String);
  return new Map(
    lines.map((line) => {
      const [name = "", ...words] = line.split(" ");
      return [name, words.join(" ")];
    }),
  );
}
