import { readFileSync } from "node:fs";
import { withClient } from "@content-service/support/withClient.ts";
import { useDatabase } from "../support/database.ts";
import { securityInvoker } from "../support/securityInvoker.ts";

/* The views that the rule refuses show drafts to everybody. Those that it accepts do not. */
const database = useDatabase();
const rule = readFileSync(new URL("../../migrations/rules/views_apply_policies.sql", import.meta.url), "utf8");
let option: string;

beforeAll(async () => {
  option = await securityInvoker(database);
  await database.query(`
    insert into app_public.posts (author_id, title, content) values (1, 'Draft', 'Text.');
    create view app_public.plain as select title from app_public.posts;
    create view app_public.invoker ${option} as select title from app_public.posts;
    create view app_public.members as select title from app_public.posts;
    alter view app_public.members owner to api_member;
    create materialized view app_public.stored as select title from app_public.posts;
    create view app_public.ungranted as select title from app_public.posts;
    grant select on app_public.plain, app_public.invoker, app_public.members, app_public.stored to api_anonymous`);
});

async function offenders(): Promise<string[]> {
  return (await database.query<{ offender: string }>(rule)).map(({ offender }) => offender);
}

test("views that read with the owner's rights are refused", async () => {
  // PostgreSQL 14 has no security_invoker.
  const onOldServers = option === "" ? ["app_public.invoker"] : [];
  expect((await offenders()).sort()).toEqual([...onOldServers, "app_public.plain", "app_public.stored"]);
});

test.each(["plain", "invoker", "members", "stored"])("%s shows a draft exactly if it is refused", async (view) => {
  const { rows } = await withClient(database.ownerUrl, async (client) => {
    await client.query("set role api_anonymous");
    return client.query(`select title from app_public.${view}`);
  });
  expect(rows.length > 0).toBe((await offenders()).includes(`app_public.${view}`));
});
