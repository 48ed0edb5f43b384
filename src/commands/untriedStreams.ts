import type { ClientBase } from "pg";

/** The lines that `npm run db:status` prints about streams of which nobody knows whether they can be followed. */
export async function untriedStreams(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query("select to_regprocedure('change_feed.untried()') is not null as is_there");
  if (!found[0].is_there) return [];
  const { rows } = await client.query<{ stream: string; reason: string }>(
    "select stream, reason from change_feed.untried()",
  );
  return rows.map(({ stream, reason }) => `Not tried, because ${reason}: the stream ${stream}.`);
}
