import { readFileSync } from "node:fs";
import pg from "pg";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { type Findings, findLeaks, miscounted } from "../../tools/leaks/findLeaks.ts";
import { httpAsk } from "../../tools/leaks/httpAsk.ts";
import { testSecret, useService } from "../support/service.ts";

/*
 * Queries every path of the schema, up to three fields long, as anonymous, a stranger, the owner, an admin, an editor and a moderator. `npm run
 * leaks` takes six, and reaches each end from two places. Eight paths are one request, and viewers of one role share its plan.
 */
const service = useService(
  { poolSize: 1, queryLimits: { selections: 10_000, nodes: 1_000_000, cost: 10_000_000 } },
  async (database) => {
    const name = new URL(database.ownerUrl).pathname.slice(1);
    await database.query(`alter database ${name} set plan_cache_mode = force_generic_plan`);
    return {};
  },
);
const sign = createTokenSigner({ secret: testSecret }) as SignToken;

beforeAll(async () => {
  for (const file of ["content.sql", "../permissions/roles.sql"]) {
    await service.database.query(readFileSync(new URL(file, import.meta.url), "utf8"));
  }
  await service.database.query(`
    insert into app_public.users (name, role) values ('Edith', 'EDITOR'), ('Mona', 'MODERATOR');
    insert into app_private.accounts (user_id, email) values (6, 'edith@example.com'), (7, 'mona@example.com')`);
});

async function examine(fields: number): Promise<Findings> {
  const database = new pg.Pool({ connectionString: service.database.ownerUrl, max: 1 });
  try {
    return await findLeaks(httpAsk(service.url, sign), database, fields, 1);
  } finally {
    await database.end();
  }
}

test("finds no data that the permission table forbids", async () => {
  const { leaks, untried, paths, shown } = await examine(3);
  expect(leaks).toEqual([]);
  expect(untried).toEqual([]);
  expect(paths).toBeGreaterThan(300);
  // The viewers see all allowed rows, which proves that the search reaches them.
  expect(shown.anonymous).toEqual({ User: 7, Post: 2, Tag: 2, Comment: 3 });
  expect(shown.stranger).toEqual({ User: 7, Post: 3, Tag: 2, Comment: 3, Chat: 1, Message: 1, Notification: 2 });
  expect(shown.owner).toEqual({
    User: 7,
    Post: 4,
    TrashedPost: 1,
    PostRevision: 2,
    WorkingCopy: 2,
    Preview: 2,
    Tag: 3,
    Comment: 5,
    Chat: 2,
    Message: 3,
    Notification: 3,
  });
  expect(shown.admin).toMatchObject({
    User: 7,
    Post: 5,
    TrashedPost: 1,
    Tag: 3,
    Comment: 5,
    Chat: 3,
    Report: 2,
    Ban: 1,
  });
  expect(shown.admin).not.toHaveProperty("Message");
  // What their rights allow, and no more.
  expect(shown["editor"]).toEqual({
    User: 7,
    Post: 5,
    TrashedPost: 1,
    PostRevision: 2,
    WorkingCopy: 2,
    Preview: 2,
    Tag: 3,
    Comment: 5,
  });
  expect(shown["moderator"]).toMatchObject({ User: 7, Post: 2, Tag: 2, Comment: 3, Chat: 3, Report: 2, Ban: 1 });
});

test("finds a policy that is too wide, an email that everyone can read, and a number that counts children whom the viewer is not shown", async () => {
  await service.database.query(`
    create policy too_wide on app_public.posts for select to api_anonymous using (id = 2);
    create policy too_wide on app_public.notifications for select to api_member using (true);
    create policy too_wide on app_public.inbox_entries for select to api_member using (true);
    create policy too_wide on app_public.chats for select to api_member using (true);
    create policy too_wide on app_public.messages for select to api_member using (true);
    create policy too_wide on app_public.reports for select to api_member using (app_hidden.viewer_id() = 2 and id = 1);
    create or replace function app_public.users_email(users app_public.users) returns text
      language sql stable security definer set search_path = pg_catalog, pg_temp
      as $$ select email from app_private.accounts where user_id = users.id $$;
    create or replace function app_public.posts_comments_count(posts app_public.posts) returns int
      language sql stable security definer set search_path = pg_catalog, pg_temp
      as $$ select 7 + count(*)::int from app_public.comments where post_id = posts.id $$`);
  const { leaks } = await examine(2);
  // Lists that are too wide also differ from their numbers.
  const named = leaks.filter(({ kind }) => kind !== miscounted);
  const found = (viewer: string) =>
    [...new Set(named.filter((leak) => leak.viewer === viewer).map(({ kind, id }) => `${kind} ${id}`))].sort();
  const emails = [1, 2, 3, 4, 5, 6, 7].map((id) => `email ${id}`);
  expect(found("anonymous")).toEqual(["Comment 3", "Comment 5", "Post 2", "Tag 3", ...emails]);
  expect(found("stranger")).toEqual([
    "Chat 1",
    "Chat 3",
    "Comment 6",
    "Message 1",
    "Message 2",
    "Message 4",
    "Notification 1",
    "Notification 4",
    "Notification 5",
    "Notification 6",
    "Post 5",
    "Report 1",
    ...emails.filter((email) => email !== "email 2"),
  ]);
  expect(found("owner")).toEqual([
    "Chat 2",
    "Comment 6",
    "Message 3",
    "Notification 2",
    "Notification 3",
    "Notification 6",
    "Post 5",
    ...emails.slice(1),
  ]);
  expect(found("admin")).toEqual([
    "Comment 6",
    ...[1, 2, 3, 4].map((id) => `Message ${id}`),
    ...[1, 2, 3, 4, 5, 6].map((id) => `Notification ${id}`),
    "Post 5",
  ]);
  expect(leaks).toContainEqual({
    viewer: "anonymous",
    path: 'post(id: "2")',
    kind: "Post",
    id: "2",
    text: "Hidden title",
  });
  const path = 'user(id: "1").inboxConnection.nodes';
  expect(leaks).toContainEqual({ viewer: "stranger", path, kind: "Chat", id: "3", text: null });
  const counted = leaks.filter(({ kind }) => kind === miscounted).map(({ text }) => text);
  // The function adds seven. Lists that are too wide differ from their numbers, too.
  expect(counted).toContainEqual(expect.stringMatching(/^Post \d+: commentsCount is (?:[7-9]|1\d) of \d$/));
});
