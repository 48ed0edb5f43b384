import { readdirSync, readFileSync } from "node:fs";

export interface Operation {
  name: string;
  query: string;
  variables: Record<string, unknown>;
  /** The caller's name in test/support/people.sql, or "nobody". */
  as: string;
  isMutation: boolean;
  /** The text of the answer, as `npm run snapshots` has written it. */
  answer: string;
}

const folder = new URL("../../test/operations/", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), "utf8");

/** The rows that the answers are about, as SQL. */
export const readContent = () => read("content.sql");

/** Reads the operations of test/operations, in their order. */
export function readOperations(): Operation[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".graphql"));
  return files.sort().map((file) => {
    const query = read(file);
    return {
      name: file.replace(/\.graphql$/, ""),
      query,
      variables: JSON.parse(/^# with (.*)/m.exec(query)?.[1] ?? "{}"),
      as: /^# as (\w+)/m.exec(query)?.[1] ?? "nobody",
      isMutation: /^mutation\b/m.test(query),
      answer: read(file.replace(/\.graphql$/, ".json")),
    };
  });
}
