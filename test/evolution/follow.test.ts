import { isObjectType } from "graphql";
import pg from "pg";
import { readSchemaVersion } from "../../src/database/readSchemaVersion.ts";
import { useAnalyst } from "../support/analyst.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { securityInvoker } from "../support/securityInvoker.ts";
import { type Answer, type Person, useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";
import { until } from "../support/until.ts";

/*
 * The service runs, a migration comes in, the API follows: no TypeScript, no restart. Each change is told as
 * migrations/hooks/tell_services.sql tells it.
 */
// A request waits while a migration runs, which takes long on a busy machine.
const service = useService({ statementTimeoutMs: 60_000 });
const jane = useAnalyst(service.database);

const followed = "the schema has been rebuilt from the database";
const refused = "the schema cannot be built from the database; the previous one stays";

const rebuilds = () => service.logged.filter(({ msg }) => msg === followed).length;

/** Runs SQL as a migration does, and waits until the service serves the schema that it makes. */
async function migrate(sql: string): Promise<void> {
  let told = service.told(followed);
  await service.database.query(`begin; ${sql}; notify schema_changed; commit`);
  await using login = new AsyncDisposableStack();
  const asLogin = { connectionString: service.database.apiUrl, application_name: "test", max: 1 };
  const pool = login.adopt(new pg.Pool(asLogin), (one) => one.end());
  const version = await readSchemaVersion(pool);
  // An earlier change, of which nobody was notified, may be found meanwhile.
  for (; service.app.pipeline.served.version !== version; told = service.told(followed)) await told;
}

/** Runs SQL as a migration that makes no schema, and waits until the service has said so. */
async function migrateInVain(sql: string): Promise<void> {
  const told = service.told(refused);
  await service.database.query(`begin; ${sql}; notify schema_changed; commit`);
  await told;
}

async function ask(query: string, as: Person = "nobody"): Promise<Answer["data"]> {
  const { data, errors } = await service.ask(query, { as });
  expect(errors).toBeUndefined();
  return data;
}

async function refusalOf(query: string): Promise<string | undefined> {
  const { errors } = await service.ask(query);
  return errors?.[0]?.message;
}

async function metrics(): Promise<string> {
  return (await fetch(`${service.app.url}/metrics`)).text();
}

const added = `
  alter table app_public.users add column motto text not null default 'Onwards.';
  comment on column app_public.users.motto is 'Words to live by.';

  alter table app_public.posts add column subtitle text;
  comment on column app_public.posts.subtitle is 'The line below the headline.';

  create table app_public.reviews (
    id bigint generated always as identity primary key,
    post_id bigint not null references app_public.posts on delete cascade,
    reviewer_id bigint not null references app_public.users,
    stars int not null,
    points int not null default 7,
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

  alter table app_public.users add column mentor_id bigint references app_public.users;
  -- Without it, there is no way back.
  create index on app_public.users (mentor_id);
  comment on constraint users_mentor_id_fkey on app_public.users is E'@foreignFieldName mentees';
  update app_public.users set mentor_id = 1 where id = 2;

  create type app_public.mood as enum ('CALM');
  alter table app_public.users add column mood app_public.mood;

  create function app_public.posts_reading_minutes(posts app_public.posts) returns int
  language sql stable return 1 + char_length(posts.content) / 1000;

  create function app_public.shout(words text, times int default 1) returns text
  language sql volatile return repeat(upper(words) || '!', times);

  create function app_public.review_post(post_id bigint, stars int) returns app_public.reviews
  language sql volatile as $$
    insert into app_public.reviews (post_id, reviewer_id, stars)
    values (review_post.post_id, app_hidden.viewer_id(), review_post.stars) returning *
  $$;

  create function app_public.wait_for_key() returns int
  language plpgsql volatile set lock_timeout = '1min' as 'begin perform pg_advisory_xact_lock_shared(606); return 1; end';

  grant execute on function app_public.posts_reading_minutes(app_public.posts), app_public.wait_for_key()
    to api_anonymous, api_member;
  grant execute on function app_public.shout(text, int), app_public.review_post(bigint, int) to api_member;

  insert into app_public.posts (author_id, title, content, subtitle, status)
  values (1, 'Reviewed', 'Text.', 'A second line', 'PUBLISHED');
  insert into app_public.reviews (post_id, reviewer_id, stars) values (1, 2, 4);
`;

describe("a migration that adds", () => {
  beforeAll(async () => {
    expect(await refusalOf(`{ user(id: "1") { motto } }`)).toMatch(/^Cannot query field "motto"/);
    await migrate(`${added};
      create view app_public.initials ${await securityInvoker(service.database)} as select id as user_id, left(name, 1) as letter from app_public.users;
      comment on view app_public.initials is E'@primaryKey user_id\\nHow each name begins.';
      grant select on app_public.initials to api_anonymous, api_member`);
  });

  test("columns: they are fields", async () => {
    expect(await ask(`{ user(id: "1") { motto } post(id: "1") { subtitle } }`)).toEqual({
      user: { motto: "Onwards." },
      post: { subtitle: "A second line" },
    });
  });

  test("a table: it is a field, a list and a connection of Query, and relations in both directions", async () => {
    const query = `{
      review(id: "1") { id stars reviewedAt reviewer { name } post { title } }
      reviews(limit: 5) { stars }
      reviewsConnection(first: 1) { totalCount }
      post(id: "1") { reviews(limit: 1) { stars } }
      user(id: "2") { reviews { stars } }
      missing: review(id: "9") { id }
    }`;
    const { data, errors } = await service.ask(query);
    expect(data).toEqual({
      review: {
        id: "1",
        stars: 4,
        reviewedAt: "2026-05-05T12:00:00.000000+00:00",
        reviewer: { name: "Bob" },
        post: { title: "Reviewed" },
      },
      reviews: [{ stars: 4 }],
      reviewsConnection: { totalCount: 1 },
      post: { reviews: [{ stars: 4 }] },
      user: { reviews: [{ stars: 4 }] },
      missing: null,
    });
    expect(errors).toEqual([expect.objectContaining({ path: ["missing"], extensions: { code: "NOT_FOUND" } })]);
  });

  test("a relation between tables that were there: it is a field of each", async () => {
    expect(await ask(`{ bob: user(id: "2") { mentor { name } } ada: user(id: "1") { mentees { name } } }`)).toEqual({
      bob: { mentor: { name: "Ada" } },
      ada: { mentees: [{ name: "Bob" }] },
    });
  });

  test("a view: it is a list, and with a key a field as well", async () => {
    expect(await ask(`{ initial(userId: "2") { letter } initials(limit: 2) { letter } }`)).toEqual({
      initial: { letter: "B" },
      initials: [{ letter: "A" }, { letter: "B" }],
    });
  });

  test("a function of a row: it is a computed field", async () => {
    expect(await ask(`{ post(id: "1") { readingMinutes } }`)).toEqual({ post: { readingMinutes: 1 } });
  });

  test("volatile functions: they are mutations with the same signature, and violated constraints are reported", async () => {
    expect(await ask(`mutation { once: shout(words: "so") twice: shout(words: "so", times: 2) }`, "ada")).toEqual({
      once: "SO!",
      twice: "SO!SO!",
    });
    const mutation = `mutation { good: reviewPost(postId: "1", stars: 5) { stars reviewer { name } } bad: reviewPost(postId: "1", stars: 6) { id } }`;
    const { data, errors } = await service.ask(mutation, { as: "ada" });
    expect(data).toEqual({ good: { stars: 5, reviewer: { name: "Ada" } }, bad: null });
    expect(errors?.[0]?.extensions).toEqual({
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["stars"], field: "stars", code: "OUT_OF_RANGE", message: "Give one to five stars." }],
    });
  });

  test("arguments: they are required without a default, and lists are paged with limits", () => {
    const mutation = service.app.schema.getMutationType()?.getFields()["reviewPost"];
    expect(mutation?.args.map(({ name, type }) => `${name}: ${type}`)).toEqual(["postId: ID!", "stars: Int!"]);
    const post = service.app.schema.getType("Post");
    const reviews = isObjectType(post) ? post.getFields()["reviews"] : undefined;
    expect(reviews?.args.map(({ name, defaultValue }) => `${name} = ${defaultValue}`)).toEqual([
      "limit = 20",
      "offset = 0",
    ]);
  });
});

test("a new column of posts or messages can be read at once, before the service has followed, and dropped again", async () => {
  const lists = () =>
    ask(`{ feed(limit: 5) { title } chat(id: "1") { messagesConnection(first: 5) { nodes { text } } } }`, "ada");
  await service.database.query(`
    insert into app_public.chats default values;
    insert into app_public.chat_members (chat_id, user_id) values (1, 1);
    insert into app_public.messages (chat_id, sender_id, text) values (1, 1, 'Hello')`);
  const expected = { feed: [{ title: "Reviewed" }], chat: { messagesConnection: { nodes: [{ text: "Hello" }] } } };
  for (const change of ["add column mood text", "drop column mood"]) {
    await service.database.query(`alter table app_public.posts ${change}; alter table app_public.messages ${change}`);
    expect(await lists()).toEqual(expected);
  }
});

describe("a migration that changes", () => {
  const points = "{ reviews(limit: 1) { points } }";

  beforeAll(async () => {
    expect(await ask(points)).toEqual({ reviews: [{ points: 7 }] });
    // The value of the enum is not used in the transaction that adds it.
    await migrate(`
      alter type app_public.mood add value 'WILD';
      comment on column app_public.users.motto is E'@deprecated Use bio.\\nWords to live by.';
      alter table app_public.reviews alter column points drop default, alter column points type text using 'seven',
        alter column points set default 'seven'`);
  });

  test("an enum: its new value can be written and read", async () => {
    await service.database.query(`update app_public.users set mood = 'WILD' where id = 1`);
    expect(await ask(`{ user(id: "1") { mood } __type(name: "Mood") { enumValues { name } } }`)).toEqual({
      user: { mood: "WILD" },
      __type: { enumValues: [{ name: "CALM" }, { name: "WILD" }] },
    });
  });

  test("a column to a deprecated one: it says so, and answers as before", async () => {
    const query = `{ user(id: "1") { motto } __type(name: "User") { fields(includeDeprecated: true) { name deprecationReason } } }`;
    const { user, __type } = await ask(query);
    expect(user).toEqual({ motto: "Onwards." });
    expect(__type.fields).toContainEqual({ name: "motto", deprecationReason: "Use bio." });
  });

  test("the type of a column: it answers on connections that knew the old one", async () => {
    expect(await ask(points)).toEqual({ reviews: [{ points: "seven" }] });
  });
});

describe("a migration that renames a column and drops another one and a function in use", () => {
  let underWay: Answer["data"];

  beforeAll(async () => {
    const held = await service.database.hold("select pg_advisory_lock(606)");
    const answer = ask("mutation { waitForKey }");
    await held.somebodyWaits();
    await migrate(`
      alter table app_public.users rename column motto to maxim;
      comment on column app_public.users.maxim is 'Words to live by.';
      create function app_public.users_motto(users app_public.users) returns text
      language sql stable return users.maxim;
      comment on function app_public.users_motto(app_public.users) is E'@deprecated Use maxim.\\nWords to live by.';
      grant execute on function app_public.users_motto(app_public.users) to api_anonymous, api_member;
      alter table app_public.reviews drop column points;
      drop function app_public.wait_for_key()`);
    await held.release();
    underWay = await answer;
  });

  test("the old name answers for a while, deprecated", async () => {
    const query = `{ user(id: "1") { motto maxim } __type(name: "User") { fields(includeDeprecated: true) { name deprecationReason } } }`;
    const { user, __type } = await ask(query);
    expect(user).toEqual({ motto: "Onwards.", maxim: "Onwards." });
    expect(__type.fields).toContainEqual({ name: "motto", deprecationReason: "Use maxim." });
  });

  test("what is dropped is a field no more", async () => {
    expect(await refusalOf("{ reviews { points } }")).toMatch(/^Cannot query field "points"/);
    expect(await refusalOf("mutation { waitForKey }")).toMatch(/^Cannot query field "waitForKey"/);
  });

  test("a request under way finishes on the schema that it began with", () => {
    expect(underWay).toEqual({ waitForKey: 1 });
  });
});

test("a database that makes no schema is logged, and the schema before goes on answering", async () => {
  await migrateInVain(
    "revoke select on pg_catalog.pg_language from public; comment on table app_public.reviews is 'What a reader thinks.'",
  );
  expect(service.logged.at(-1)).toMatchObject({ level: 50, err: { message: expect.stringContaining("pg_language") } });
  expect(await ask(`{ review(id: "1") { stars } }`)).toEqual({ review: { stars: 4 } });
  expect(await metrics()).toContain("schema_is_current 0\n");
  await migrate(
    "grant select on pg_catalog.pg_language to public; comment on table app_public.reviews is 'What a reader thinks of a post.'",
  );
  expect(await ask(`{ __type(name: "Review") { description } }`)).toEqual({
    __type: { description: "What a reader thinks of a post." },
  });
  expect(await metrics()).toContain("schema_is_current 1\n");
});

test("what GraphQL cannot have is named in the log, and everything else is served", async () => {
  await migrate(`
    create type app_public.odd as enum ('true', 'a b', 'a-b', 'plain');
    alter table app_public.reviews add column odd app_public.odd[] not null default '{true, "a b", a-b, plain}', add column beside int not null default 1;
    create function app_public.touch() returns void language sql volatile as 'select 1';
    create function app_public."-"() returns int language sql stable return 1;
    create procedure app_public.tidy() language sql as 'select 1';
    grant execute on function app_public.touch, app_public."-" to api_anonymous, api_member;
    grant execute on procedure app_public.tidy to api_anonymous`);
  expect(await ask(`{ reviews(limit: 1) { odd beside } }`)).toEqual({
    reviews: [{ odd: ["_true", "a_b", "a_b_2", "plain"], beside: 1 }],
  });
  expect(await refusalOf("mutation { touch }")).toMatch(/^Cannot query field "touch"/);
  const { leftOut } = service.logged.findLast(({ level }) => level === 40) ?? {};
  const told = [
    'app_public."-" is not in the API. GraphQL can have no such name.',
    "app_public.tidy is not in the API. It returns void.",
    "app_public.touch is not in the API. It returns void.",
    ...['"true" of app_public.odd is _true', '"a b" of app_public.odd is a_b', '"a-b" of app_public.odd is a_b_2'].map(
      (value) => `The value ${value} in the API. GraphQL can have no value of that name.`,
    ),
  ];
  expect(leftOut).toEqual(told.map((line) => expect.stringContaining(line)));
});

test("a thousand notifications of an analyst cause no rebuild, and as much work as two", async () => {
  const before = rebuilds();
  const statements = await recordStatements(async () => {
    await jane.ask("select count(pg_notify('schema_changed', number::text)) from generate_series(1, 1000) as number");
    await migrate("comment on column app_public.reviews.stars is 'How many.'");
  });
  expect(rebuilds() - before).toBe(1);
  // Two for the notifications, at the first and for all others; two for the migration, if it comes later; one within the rebuild. That of
  // migrate() is the test's own.
  const checks = statements.filter(({ text, application }) => text.includes("xmin") && application !== undefined);
  expect(checks.length).toBeLessThanOrEqual(5);
});

describe("the connection that listens", () => {
  // A connection that begins has no name yet, and one that ends is still listed: neither is one that listens.
  const ownConnections = `select pid from pg_stat_activity where datname = current_database()
    and usename = 'api_login' and application_name = 'content-service listener'`;
  const say = "insert into app_public.messages (chat_id, text) values (1, 'Hello')";
  let socket: RawSocket;

  beforeAll(async () => {
    socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    service.database.ends.defer(() => socket.destroy());
    socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf("ada") } });
    await socket.messages.next();
    const query = `subscription { messageAdded(chatId: "1") { text } }`;
    socket.say({ type: "subscribe", id: "1", payload: { query } });
    await until(() => service.app.subscriptions === 1);
  });

  async function messageArrives(): Promise<void> {
    const hello = { type: "next", payload: { data: { messageAdded: { text: "Hello" } } } };
    expect(await socket.messages.next()).toMatchObject(hello);
  }

  test("is one for migrations and messages; when it is lost, another one catches up with both", async () => {
    const before = await service.database.query(ownConnections);
    expect(before).toHaveLength(1);
    const rebuildsBefore = rebuilds();
    // A notification without a change rebuilds nothing.
    await service.database.query("notify schema_changed; analyze app_public.reviews");
    await migrate(`comment on table app_public.reviews is 'Reviews.'; ${say}`);
    await messageArrives();
    expect(rebuilds() - rebuildsBefore).toBe(1);

    const told = service.told(followed);
    // Without a notification that could arrive: the connection ends first, and the hook of migrations has not run.
    await service.database.query(`begin;
      alter table app_public.reviews add column colour text not null default 'blue';
      ${say};
      select pg_terminate_backend(pid) from (${ownConnections}) as listening;
      commit`);
    await messageArrives();
    await told;
    expect(await ask(`{ reviews(limit: 1) { colour } }`)).toEqual({ reviews: [{ colour: "blue" }] });
    await until(async () => (await service.database.query(ownConnections)).length === 1);
    expect(await service.database.query(ownConnections)).not.toEqual(before);
  });

  test("follows migrations while messages cannot be read, and reads them as soon as they can be", async () => {
    const before = await service.database.query(ownConnections);
    const isListening = async () => (await metrics()).includes("messages_listening 1\n");
    const signature = "(int[], text[], bigint[], int[], int)";
    await migrate(`alter function change_feed.read_streams${signature} rename to hidden; ${say}`);
    await until(async () => !(await isListening()));
    await migrate("alter table app_public.reviews add column weight int not null default 3, drop column colour");
    expect(await ask("{ reviews(limit: 1) { weight } }")).toEqual({ reviews: [{ weight: 3 }] });
    expect(await refusalOf("{ reviews { colour } }")).toMatch(/^Cannot query field "colour"/);
    await service.database.query(`alter function change_feed.hidden${signature} rename to read_streams`);
    await messageArrives();
    expect(await isListening()).toBe(true);
    expect(await service.database.query(ownConnections)).toEqual(before);
  });
});
