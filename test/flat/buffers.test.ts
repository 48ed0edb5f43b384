import { fill } from "../../bench/data.ts";
import { useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";
import { until } from "../support/until.ts";
import { cursorFarBehind, extremes, type Operation, operations, sharedBuffers } from "./operations.ts";

/*
 * What a request reads does not grow with the content: the pages of the database that its statements touch, at ten times
 * the posts, tags in use and comments, with PostgreSQL's own choice of plans.
 */
const service = useService();
const sizes = [1_000, 10_000];
/** An index on ten times the rows may have one more level. */
const maxGrowth = 1.5;
/** Of any operation but a feed, which reads the comments and tags of ten posts. An admin’s search ranks 200 posts and 200 drafts, and looks the right up more than once. */
const maxBuffers = 300;
const notAllVisible = `
  select from pg_class where relnamespace = 'app_public'::regnamespace and relkind = 'r' and relallvisible < relpages`;

test("the pages that a request reads do not grow with the content", async () => {
  const buffers: number[][] = [];
  for (const posts of sizes) {
    await service.database.query(
      "set local app.is_import = on; truncate app_public.users, app_public.tags, app_public.chats restart identity cascade; set local app.is_import = off",
    );
    await fill(`${service.database.ownerUrl}?options=-csynchronous_commit%3Don`, { users: 1_000, posts });
    await service.database.query(extremes(posts));
    await until(vacuumed);
    const counts: number[] = [];
    const { data } = await service.ask(cursorFarBehind);
    const cursor = (data as any).postsConnection.pageInfo.startCursor;
    for (const { query, as } of Object.values(operations)) {
      counts.push(await buffersOf({ query: query.replace("CURSOR", cursor), ...(as ? { as } : null) }));
    }
    counts.push(await buffersOfRights());
    buffers.push(counts);
  }
  const [few = [], many = []] = buffers;
  const grown = [...Object.keys(operations), "the rights of a subscriber"].map((name, index) => [
    name,
    (many[index] as number) / (few[index] as number),
  ]);
  expect(grown.filter(([, growth]) => (growth as number) > maxGrowth)).toEqual([]);
  const large = Object.entries(operations)
    .map(([name, { query }], index) => ({ name, query, pages: many[index] as number }))
    .filter(({ query, pages }) => !query.includes("feed(") && pages >= maxBuffers);
  expect(large).toEqual([]);
});

/** False while a statement of the service's own, such as a reading of the change feed, still needs rows that vacuum would take. */
async function vacuumed(): Promise<boolean> {
  await service.database.query("vacuum analyze");
  return (await service.database.query(notAllVisible)).length === 0;
}

/** Of the statement that says whether a subscriber may read a post and a new comment. */
async function buffersOfRights(): Promise<number> {
  const values = await service.database.query(`
    select array[s.id] as streams, array[c.post_id::text] as keys, array[c.id::text] as rows
      from change_feed.stream_sources as s, app_public.comments as c
     where s.relation = 'app_public.comments'::regclass and s.kind = 'added' order by c.id desc limit 1`);
  const { streams, keys, rows } = values[0] as { streams: number[]; keys: string[]; rows: string[] };
  return sharedBuffers(service.database.login, {
    text: "select * from change_feed.refused_viewers($1, $2, array[null::bigint], $1, $2, $3)",
    values: [streams, keys, rows],
    identity: undefined,
    application: undefined,
  });
}

async function buffersOf({ query, as }: Operation): Promise<number> {
  const statements = await recordStatements(async () => {
    const { errors } = await service.ask(query, { as: as ?? "nobody" });
    expect(errors?.filter(({ extensions }) => extensions.code !== "UNAUTHORIZED") ?? []).toEqual([]);
  });
  // Not those of the service itself, such as the one that stores counts of reads.
  const own = statements.filter(({ application, identity }) => application === "content-service" && identity);
  const each = await Promise.all(own.map((statement) => sharedBuffers(service.database.login, statement)));
  return each.reduce((sum, one) => sum + one, 0);
}
