import { readTables } from "graphile-migrate-review";
import type { ClientBase } from "pg";
import { analyticsContract, dbtSources, readAnalystViews } from "./analystViews.ts";
import { erDiagram } from "./erDiagram.ts";

/** The files that `npm run db:snapshot` writes for analysts, and the diagram of the tables. */
export async function publicationSnapshots(client: ClientBase): Promise<Map<string, string>> {
  const views = await readAnalystViews(client);
  return new Map([
    ["migrations/snapshots/analytics.txt", analyticsContract(views)],
    ["migrations/snapshots/sources.yml", dbtSources(views)],
    ["docs/er.md", erDiagram(await readTables(client, ["app_public"]))],
  ]);
}
