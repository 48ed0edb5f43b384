import { isObjectType } from "graphql";
import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";

/* A change in SQL appears in the API, under the same conventions, without a change in TypeScript. */
const database = useDatabase();
let app: App;

const migration = `
  alter table app_public.posts add column subtitle text;
  comment on column app_public.posts.subtitle is 'The line below the headline.';
  grant insert (subtitle), update (subtitle) on app_public.posts to api_member;

  create table app_public.reviews (
    id bigint generated always as identity primary key,
    post_id bigint not null references app_public.posts on delete cascade,
    reviewer_id bigint not null references app_public.users,
    stars int not null,
    reviewed_at timestamptz not null default '2026-05-05 12:00Z',
    constraint reviews_stars_check check (stars between 1 and 5)
  );
  create index on app_public.reviews (post_id);
  create index on app_public.reviews (reviewer_id);
  comment on constraint reviews_stars_check on app_public.reviews is 'Give one to five stars.';
  alter table app_public.reviews enable row level security;
  create policy select_all on app_public.reviews for select to api_anonymous, api_member using (true);
  create policy insert_own on app_public.reviews for insert to api_member
    with check (reviewer_id = (select app_hidden.viewer_id()));
  grant select on app_public.reviews to api_anonymous, api_member;
  grant insert (post_id, reviewer_id, stars) on app_public.reviews to api_member;

  create function app_public.posts_reading_minutes(posts app_public.posts) returns int
  language sql stable return 1 + char_length(posts.content) / 1000;
  grant execute on function app_public.posts_reading_minutes(app_public.posts) to api_anonymous, api_member;

  create function app_public.review_post(post_id bigint, stars int) returns app_public.reviews
  language sql volatile as $$
    insert into app_public.reviews (post_id, reviewer_id, stars)
    values (review_post.post_id, app_hidden.viewer_id(), review_post.stars) returning *
  $$;
  grant execute on function app_public.review_post(bigint, int) to api_member;

  insert into app_public.posts (author_id, title, content, subtitle, status)
  values (1, 'Reviewed', 'Text.', 'A second line', 'PUBLISHED');
  insert into app_public.reviews (post_id, reviewer_id, stars) values (1, 2, 4);
`;

beforeAll(async () => {
  await database.query(migration);
  app = await startApp({ ...testSettings, apiDatabaseUrl: database.apiUrl }, pino({ level: "silent" }));
});
afterAll(() => app.close());

async function answer(query: string, userId?: string) {
  const { signal } = new AbortController();
  const client = { authenticate: async () => userId, address: "", signal, canSubscribe: false };
  return (await app.pipeline.handle(() => ({ query }), client)).result;
}

test("a new column of posts or messages can be read at once, and dropped again", async () => {
  const lists = () => answer(`{ feed(limit: 5) { title } messages(chatId: "1", limit: 5) { text } }`, "1");
  await database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
    insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Hello')`);
  const expected = { data: { feed: [{ title: "Reviewed" }], messages: [{ text: "Hello" }] } };
  for (const change of ["add column mood text", "drop column mood"]) {
    await database.query(`alter table app_public.posts ${change}; alter table app_public.messages ${change}`);
    expect(await lists()).toEqual(expected);
  }
});

test("a new column is a field", async () => {
  expect(await answer(`{ post(id: "1") { subtitle } }`)).toEqual({ data: { post: { subtitle: "A second line" } } });
});

test("a new table adds a field, a list and a connection to Query, and relations in both directions", async () => {
  const query = `{
    review(id: "1") { id stars reviewedAt reviewer { name } post { title } }
    reviews(limit: 5) { stars }
    reviewsConnection(first: 1) { totalCount }
    post(id: "1") { reviews(limit: 1) { stars } }
    user(id: "2") { reviews { stars } }
    missing: review(id: "9") { id }
  }`;
  const { data, errors } = await answer(query);
  expect(data).toEqual({
    review: { id: "1", stars: 4, reviewedAt: "2026-05-05", reviewer: { name: "Bob" }, post: { title: "Reviewed" } },
    reviews: [{ stars: 4 }],
    reviewsConnection: { totalCount: 1 },
    post: { reviews: [{ stars: 4 }] },
    user: { reviews: [{ stars: 4 }] },
    missing: null,
  });
  expect(errors).toEqual([expect.objectContaining({ path: ["missing"], extensions: { code: "NOT_FOUND" } })]);
});

test("a function of a row is a computed field", async () => {
  expect(await answer(`{ post(id: "1") { readingMinutes } }`)).toEqual({ data: { post: { readingMinutes: 1 } } });
});

test("a volatile function is a mutation with the same signature, and its violated constraints are reported", async () => {
  const mutation = `mutation { good: reviewPost(postId: "1", stars: 5) { stars reviewer { name } } bad: reviewPost(postId: "1", stars: 6) { id } }`;
  const { data, errors } = await answer(mutation, "1");
  expect(data).toEqual({ good: { stars: 5, reviewer: { name: "Ada" } }, bad: null });
  expect(errors?.[0]?.extensions).toEqual({
    code: "VALIDATION_ERROR",
    validationErrors: [{ path: ["stars"], field: "stars", code: "OUT_OF_RANGE", message: "Give one to five stars." }],
  });
});

test("arguments follow the same conventions: required without a default, paged with limits", () => {
  const mutation = app.schema.getMutationType()?.getFields()["reviewPost"];
  expect(mutation?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(["postId: ID!", "stars: Int!"]);
  const post = app.schema.getType("Post");
  const reviews = isObjectType(post) ? post.getFields()["reviews"] : undefined;
  expect(reviews?.args.map(({ name, defaultValue }) => `${name} = ${defaultValue}`)).toEqual([
    "limit = 20",
    "offset = 0",
  ]);
});
