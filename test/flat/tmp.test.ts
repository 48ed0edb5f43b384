import { writeFileSync } from "node:fs";
import pg from "pg";
import { fill } from "../../bench/data.ts";
import { cursorFarBehind, extremes, operations, sharedBuffers } from "../../bench/flat.ts";
import { useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";
const service = useService();
test("x", async () => {
  await service.database.query("truncate app_public.users, app_public.tags, app_public.chats restart identity cascade");
  await fill(service.database.ownerUrl, { users: 1_000, posts: 10000 });
  await service.database.query(extremes(10000));
  await service.database.query("vacuum analyze");
  const { data } = await service.ask(cursorFarBehind);
  const cursor = (data as any).postsConnection.pageInfo.startCursor;
  const lines: string[] = [];
  for (const [name, { query, as }] of Object.entries(operations)) {
    const statements = await recordStatements(async () => { await service.ask(query.replace("CURSOR", cursor), { as: as ?? "nobody" }); });
    const own = statements.filter(({ application, identity }) => application === "content-service" && identity);
    const each = await Promise.all(own.map((s) => sharedBuffers(service.database.apiUrl, s)));
    lines.push(`${each.reduce((a, b) => a + b, 0)}\t${name}`);
  }
  writeFileSync(process.env.OUT as string, lines.join("\n") + "\n");
  const c = new pg.Client({ connectionString: service.database.ownerUrl });
  await c.connect();
  await c.query("set role api_anonymous");
  for (const q of (process.env.Q ?? "").split(";").filter(Boolean)) {
    const { rows } = await c.query("explain (analyze, buffers, costs) " + q);
    console.log(q + "\n" + rows.map((r) => r["QUERY PLAN"]).join("\n"));
  }
  await c.end();
});
