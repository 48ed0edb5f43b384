/**
 * What the smart tag `@describe <name> <words>` says of things that PostgreSQL has no comments for: a function's
 * arguments and an enum's values. One line each, in the comment of the function or the type.
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
