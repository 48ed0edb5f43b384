import pg from "pg";
import { must, seconds, type Trial } from "../Stage.ts";

/** What was written is there after `down` and `up`, on the primary, the standby and in Prometheus. */
export const volumes: Trial = async ({ composition }) => {
  const before = await count(await composition.databaseUrl());
  const seen = await firstSample();
  await composition.down();
  const took = await composition.up();
  const after = await count(await composition.databaseUrl());
  must(before === after, `Before: ${before}. After: ${after}`);
  must((await firstSample()) === seen, "Prometheus has lost its samples");
  const recovers = await composition.exec(
    "replica",
    "psql",
    "--username=postgres",
    "--no-align",
    "--tuples-only",
    "--command",
    "select pg_is_in_recovery(), status from pg_stat_wal_receiver",
  );
  must(recovers.includes("t|streaming"), `The standby says ${recovers}`);
  return `${after}; all healthy ${seconds(took)} after up`;
};

async function count(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select format('%s users, %s posts, %s messages', (select count(*) from app_public.users), (select count(*) from app_public.posts),
         (select count(*) from app_public.messages)) as counts`,
    );
    return rows[0].counts;
  } finally {
    await client.end();
  }
}

async function firstSample(): Promise<string> {
  const query = "min(min_over_time(timestamp(up)[1h:15s]))";
  const response = await fetch(`http://127.0.0.1:9090/api/v1/query?${new URLSearchParams({ query })}`);
  return JSON.stringify(((await response.json()) as any).data.result[0]?.value[1]);
}
