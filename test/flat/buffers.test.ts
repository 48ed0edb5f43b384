import { expect, test } from "@jest/globals";
import pg from "pg";
import { fill } from "../../bench/data.ts";
import { type Person, useService } from "../support/service.ts";
import { recordStatements, type Statement } from "../support/statements.ts";

/*
 * What a request reads does not grow with the content: the pages of the database that its statements touch, at ten times
 * the posts, tags in use and comments, with PostgreSQL's own choice of plans.
 */
const service = useService();
const sizes = [1_000, 10_000];
/** An index on ten times the rows may have one more level. */
const maxGrowth = 1.5;
/** Of an operation without nested lists. */
const maxBuffers = 200;

const feed = `{ feed(limit: 10) { title author { name } tags { name } comments(limit: 3) { text author { name } } } }`;
const posts = "{ posts(limit: 20) { title } }";
const drafts = "{ posts(limit: 20, status: DRAFT) { title } }";
const postsOfTag = `{ tag(id: "1") { posts(limit: 20) { title } } }`;
const draftsOfTag = `{ tag(id: "8") { posts(limit: 5, status: DRAFT) { title } } }`;

/**
 * More content for the size. Ada follows fifty people, Mallory a user who has no posts and one who has three old ones,
 * and Bob nobody. Bob has three old drafts. User 5 has many followers, user 8 follows many. User 6 has written the newest drafts.
 */
function extremes(size: number): string {
  return [
    "set session_replication_role = replica",
    "update app_public.users set role = 'ADMIN' where id = 3",
    `insert into app_public.users (name) select 'Follower ' || n from generate_series(1, ${size}) n`,
    "update app_public.posts set author_id = 7 where author_id = 4",
    "insert into app_public.follows (follower_id, followed_id) values (4, 1001), (4, 1002)",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, status, created_at, published_at)
      select 1002, 'Old post ' || n, 'old-post-' || n, '', 'Text', 'PUBLISHED', '2020-01-01', '2020-01-01' from generate_series(1, 3) n`,
    "insert into app_public.follows (follower_id, followed_id) select id, 5 from app_public.users where id > 1002",
    "insert into app_public.follows (follower_id, followed_id) select 8, id from app_public.users where id > 1002",
    `insert into app_public.posts (author_id, title, slug, excerpt, content, created_at)
      select 6, 'Draft ' || n, 'draft-' || n, '', 'Text', now() + n * interval '1 second' from generate_series(1, ${size / 10}) n
       union all
      select 2, 'Old draft ' || n, 'old-draft-' || n, '', 'Text', '2020-01-01' from generate_series(1, 3) n`,
    `select app_private.count_rows('app_public.posts', 'status'), app_private.count_rows('app_public.follows', 'followed_id'),
           app_private.count_rows('app_public.follows', 'follower_id')`,
    "set session_replication_role = origin",
  ].join(";");
}

interface Operation {
  query: string;
  as?: Person;
}

const operations: Record<string, Operation> = {
  "the feed of a visitor": { query: feed },
  "the feed of a user who follows nobody": { query: feed, as: "bob" },
  "the feed of a user who follows people": { query: feed, as: "ada" },
  "a post with its tags and comments": {
    query: `{ post(id: "901") { title content author { name } tags { name } comments(limit: 5) { text } } }`,
  },
  "a page of posts": { query: "{ posts(limit: 20, status: PUBLISHED) { title tags { name } } }", as: "bob" },
  "the number of posts": { query: "{ postsCount }" },
  "the number of posts of a user": { query: "{ postsCount }", as: "bob" },
  "the number of posts for an admin": { query: "{ postsCount }", as: "admin" },
  "the number of published posts": { query: "{ postsCount(status: PUBLISHED) }", as: "bob" },
  "the number of posts, as a connection's total": { query: "{ postsConnection { totalCount } }" },
  "the number of posts of a user, as a connection's total": {
    query: "{ postsConnection(first: 2) { totalCount nodes { id } } }",
    as: "bob",
  },
  "the number of drafts, as a connection's total": {
    query: "{ postsConnection(status: DRAFT) { totalCount } }",
    as: "admin",
  },
  "the number of drafts": { query: "{ postsCount(status: DRAFT) }", as: "bob" },
  "the number of a star's followers": { query: `{ user(id: "5") { followers { count } } }` },
  "the number of users whom somebody follows": { query: `{ user(id: "8") { following { count } } }` },
  "the posts of a tag": { query: postsOfTag },
  "the posts of a tag for a user": { query: postsOfTag, as: "bob" },
  "the posts of a tag for an admin": { query: postsOfTag, as: "admin" },
  "the published posts of a tag": {
    query: `{ tag(id: "1") { posts(limit: 20, status: PUBLISHED) { title } } }`,
    as: "bob",
  },
  "the drafts of a tag for a user": { query: draftsOfTag, as: "bob" },
  "the drafts of a tag for an admin": { query: draftsOfTag, as: "admin" },
  "the first page of a connection": {
    query: "{ postsConnection(first: 20) { edges { cursor node { title } } pageInfo { hasNextPage endCursor } } }",
    as: "bob",
  },
  "drafts for a visitor": { query: drafts },
  "the drafts of a user": { query: drafts, as: "bob" },
  "drafts for an admin": { query: drafts, as: "admin" },
  "posts after the drafts of others, for a visitor": { query: posts },
  "posts after the drafts of others": { query: posts, as: "bob" },
  "posts after the drafts of others, for an admin": { query: posts, as: "admin" },
  "the feed of a user who follows people who write seldom": { query: feed, as: "mallory" },
};

test("the pages that a request reads do not grow with the content", async () => {
  const buffers: number[][] = [];
  for (const posts of sizes) {
    await service.database.query("truncate app_public.users, app_public.tags restart identity cascade");
    await fill(service.database.ownerUrl, { users: 1_000, posts });
    await service.database.query(extremes(posts));
    await service.database.query("vacuum analyze");
    const counts: number[] = [];
    for (const operation of Object.values(operations)) counts.push(await buffersOf(operation));
    buffers.push(counts);
  }
  const [few = [], many = []] = buffers;
  const grown = Object.keys(operations).map((name, index) => [name, (many[index] as number) / (few[index] as number)]);
  expect(grown.filter(([, growth]) => (growth as number) > maxGrowth)).toEqual([]);
  const large = Object.entries(operations)
    .map(([name, { query }], index) => ({ name, query, pages: many[index] as number }))
    .filter(({ query, pages }) => !query.includes("tags {") && pages >= maxBuffers);
  expect(large).toEqual([]);
});

async function buffersOf({ query, as = "nobody" }: Operation): Promise<number> {
  const statements = await recordStatements(async () => {
    const { errors } = await service.ask(query, { as });
    expect(errors).toBeUndefined();
  });
  // Not those of the service itself, such as the one that stores counts of reads.
  const own = statements.filter(({ application, identity }) => application === "content-service" && identity);
  const each = await Promise.all(own.map(sharedBuffers));
  return each.reduce((sum, one) => sum + one, 0);
}

/** The pages that the statement touches when its caller runs it. */
async function sharedBuffers({ text, values, identity }: Statement): Promise<number> {
  const client = new pg.Client({ connectionString: service.database.apiUrl });
  await client.connect();
  try {
    await client.query("begin");
    if (identity) await client.query(identity.text, identity.values);
    // The first run reads the catalogue as well.
    await client.query(text, values);
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values);
    const { Plan: plan } = rows[0]["QUERY PLAN"][0];
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  } finally {
    await client.end();
  }
}
