import { servedNamesOf } from "postgraphile-compiled-preset";
import { readSchema } from "../../src/commands/readSchema.ts";
import { committedNames } from "../../src/graphql/schema/servedNames.ts";
import { useService } from "../support/service.ts";

/* What is new takes no name from what was served: in the running service, and in one that starts afterwards. */
const service = useService();

const additions = `
  create table app_public.coauthors (
    post_id bigint references app_public.posts on delete cascade, user_id bigint references app_public.users, primary key (post_id, user_id));
  comment on table app_public.coauthors is E'@manyToMany\\nUsers who have written a post together.';
  grant select on app_public.coauthors to api_anonymous, api_member;
  create table app_public.feeds (id bigint primary key, post text);
  grant select on app_public.feeds to api_anonymous, api_member;
  create function app_public.feed(word text) returns int language sql stable as 'select 1';
  grant execute on function app_public.feed(text) to api_anonymous, api_member;
  alter table app_public.posts add column version text default 'mine';
  alter table app_public.post_tags add column added_by_id bigint references app_public.users;
  insert into app_public.coauthors values (1, 2);
  notify schema_changed`;

const question = `{ user(id: "2") { posts(limit: 5) { id } } post(id: "1") { version tags { name } } feed(limit: 2) { id } }`;

test("a join table, a table, an overload, a column and a key", async () => {
  for (const id of [1, 2]) {
    await service.database.query(
      `insert into app_public.posts (id, author_id, title, content, status, published_at) overriding system value
       values (${id}, ${id}, 'Bread', 'Flour', 'PUBLISHED', now())`,
    );
  }
  const before = await service.ask(question);
  const followed = service.told("the schema has been rebuilt from the database");
  await service.database.query(additions);
  await followed;
  expect(await service.ask(question)).toEqual(before);
  expect(before).toMatchObject({ data: { user: { posts: [{ id: "2" }] }, post: { version: /T/ } } });
  const next = await service.ask(
    `{ user(id: "2") { postsByCoauthorsUserIdAndPostId { id } } post(id: "1") { versionColumn } }`,
  );
  expect(next.data).toEqual({
    user: { postsByCoauthorsUserIdAndPostId: [{ id: "1" }] },
    post: { versionColumn: "mine" },
  });

  const { schema, leftOut } = await readSchema(service.database.apiUrl);
  expect(servedNamesOf(schema)).toMatchObject(committedNames);
  expect(leftOut.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      "The way through the join table app_public.coauthors is User.postsByCoauthorsUserIdAndPostId in the API.",
      "app_public.feed(text) is not in the API.",
    ]),
  );
});
