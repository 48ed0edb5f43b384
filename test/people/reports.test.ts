import pg from "pg";
import { useDatabase } from "../support/database.ts";

/* Fifty reports of a user within a day are the most, also when they arrive at once. */
const database = useDatabase();

test("of reports that arrive at once, fifty are added", async () => {
  await database.query(
    `insert into app_public.posts (author_id, title, content, status) select 1, 'Post ' || n, 'Text', 'PUBLISHED' from generate_series(1, 56) n;
     insert into app_public.reports (post_id) select id from app_public.posts order by id desc limit 56;
     insert into app_public.report_reasons (report_id, reporter_id, reason) select id, 2, 'Spam' from app_public.reports order by id limit 44`,
  );
  const reports = await database.query<{ id: string }>(
    "select id from app_public.reports order by id offset 44 limit 12",
  );
  const clients = await Promise.all(
    reports.map(async () => {
      const client = new pg.Client({ connectionString: database.ownerUrl });
      await client.connect();
      return client;
    }),
  );
  const results = await Promise.allSettled(
    clients.map(async (client, index) => {
      await client.query("begin");
      await client.query(
        "insert into app_public.report_reasons (report_id, reporter_id, reason) select $1, 2, 'Spam' from pg_sleep(0.05)",
        [reports[index]?.id],
      );
      await client.query("select pg_sleep(0.05)");
      await client.query("commit");
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
  expect(
    await database.query("select count(*)::int as reports from app_public.report_reasons where reporter_id = 2"),
  ).toEqual([{ reports: 50 }]);
});
