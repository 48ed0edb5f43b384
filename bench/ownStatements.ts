import { recordStatements } from "../test/support/statements.ts";
import { cases } from "./cases.ts";
import { startOwnApp } from "./ownApp.ts";

/** Statements by the name of the operation; none where the service asks the database for nothing. */
export type OwnStatements = Record<string, { text: string; values: unknown[] } | undefined>;

/** @returns what the service sends for an anonymous caller of each case, whose only value is the JSON of `data` */
export async function ownStatements(apiDatabaseUrl: string): Promise<OwnStatements> {
  const app = await startOwnApp(apiDatabaseUrl);
  try {
    const own: OwnStatements = {};
    for (const { operationName, query, variables } of Object.values(cases)) {
      const ask = () =>
        fetch(`${app.url}/graphql`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query, variables, operationName }),
        });
      const sent = (await recordStatements(ask)).filter(({ identity }) => identity);
      if (sent.length > 1) throw new Error(`${operationName} takes ${sent.length} statements`);
      own[operationName] = sent[0] && { text: sent[0].text, values: sent[0].values };
    }
    return own;
  } finally {
    await app.close();
  }
}
