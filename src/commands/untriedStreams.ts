import type { ClientBase } from "pg";

/** What `npm run db:status` prints about streams of which nobody knows whether they can be followed: a line for each reason. */
export async function untriedStreams(client: ClientBase): Promise<string[]> {
  const { rows: found } = await client.query("select to_regprocedure('change_feed.untried()') is not null as is_there");
  if (!found[0].is_there) return [];
  const { rows } = await client.query<{ streams: string; reason: string }>(
    "select reason, string_agg(stream, ', ' order by stream) as streams from change_feed.untried() group by reason",
  );
  return rows.map(({ streams, reason }) => `Not tried, because ${reason}: the streams ${streams}.`);
}
