import { readdirSync, readFileSync } from "node:fs";
import { changeConnection } from "@content-service/support/connectionString.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { templateName } from "../../../test/support/template.ts";

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

const folder = new URL("../../../test/operations/", import.meta.url);

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

/** Copies the template of the tests, and fills the copy with the rows that the answers are about. */
export async function createTemplate(serverUrl: string, template: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`create database ${template} template ${templateName}`));
  await withClient(changeConnection(serverUrl, { database: template }), (client) => client.query(read("content.sql")));
}

function read(file: string): string {
  return readFileSync(new URL(file, folder), "utf8");
}
