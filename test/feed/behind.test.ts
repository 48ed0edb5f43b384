import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { readEvents } from "../support/readEvents.ts";
import { testSettings, useService } from "../support/service.ts";
import { recordStatements } from "../support/statements.ts";

/* A subscriber that is behind: its events are executed a page at a time, and are those of the engine. */
const service = useService();
const { database } = service;
const count = 130;
/** Executes all operations in the engine. */
let engine: App;

beforeAll(async () => {
  engine = await startApp(
    { ...testSettings, apiDatabaseUrl: database.apiUrl, compileQueries: false },
    pino({ level: "silent" }),
  );
  database.ends.defer(() => engine.close());
  await database.query(`
    insert into app_public.chats (id) overriding system value values (900);
    insert into app_public.chat_members (chat_id, user_id) values (900, 1), (900, 2);
    insert into app_public.messages (chat_id, sender_id, text)
      select 900, 1 + n % 2, 'Message "' || n || E'"\\n' || repeat('…', n % 3) from generate_series(1, ${count}) n;
    insert into app_public.posts (id, author_id, title, content, status) overriding system value values (900, 1, 'Post', 'Text.', 'PUBLISHED');
    insert into app_public.comments (post_id, author_id, text) select 900, 1 + n % 3, 'Comment ' || n from generate_series(1, ${count}) n;
    update app_public.comments set text = text || ', edited' where post_id = 900`);
});

const fields = {
  "messageAdded(chatId: 900, after: $after)": [
    "{ id text sender { id name } createdAt(format: DATE_TIME) }",
    "{ id chat { id unreadCount lastMessage { id } membersConnection { nodes { name } } } }",
  ],
  "commentAdded(postId: 900, after: $after)": [
    "{ id text author { name } }",
    "{ id post { title commentsCount } repliesConnection(first: 2) { totalCount } }",
  ],
  "commentUpdated(postId: 900, after: $after)": ["{ __typename id text }"],
};
const queries = Object.entries(fields).flatMap(([field, selections]) =>
  selections.map((selection) => `subscription ($after: ID) { it: ${field} ${selection} }`),
);

/** The results up to the last event, and the statements that they took. */
async function receive(query: string, wanted: number, url = service.url) {
  const results: { data: { it: { id: string } }; after: string }[] = [];
  let mostBehind = 0;
  const statements = await recordStatements(async () => {
    const headers = { "content-type": "application/json", ...(await service.headersOf("bob")) };
    const { events, close } = await readEvents(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables: { after: "0" } }),
    });
    while (results.length < wanted) {
      const event = await events.next();
      if (event.startsWith("next ")) {
        const { data, extensions } = JSON.parse(event.slice("next ".length));
        if (extensions.behind > 0) mostBehind = Math.max(mostBehind, extensions.behind);
        results.push({ data, after: extensions.after });
      }
    }
    close();
  });
  return { results, mostBehind, reads: statements.filter(({ identity }) => identity) };
}

test.each(queries)("%s: a page is one statement, and each event is as the engine has it", async (query) => {
  const [paged, alone] = [await receive(query, count), await receive(query, count, `${engine.url}/graphql`)];
  expect(paged.results).toEqual(alone.results);
  expect(paged.mostBehind).toBeGreaterThan(90);
  expect([paged.reads.length < 15, alone.reads.length >= count]).toEqual([true, true]);
});

test("a page leaves out rows that are gone, and those that the viewer may not see", async () => {
  await database.query(`
    insert into app_public.comments (post_id, author_id, text) select 900, 1, 'Late ' || n from generate_series(1, 20) n;
    create policy hide_some on app_public.comments as restrictive for select to api_member using (text <> 'Late 7');
    delete from app_public.comments where text in ('Late 3', 'Late 20')`);
  const query = `subscription ($after: ID) { it: commentAdded(postId: 900, after: $after) { id text post { title } } }`;
  const { results } = await receive(query, count + 17);
  const late = results
    .map(({ data }) => (data.it as unknown as { text: string }).text)
    .filter((text) => text.startsWith("Late"));
  expect(late).toEqual(
    Array.from({ length: 20 }, (_, index) => `Late ${index + 1}`).filter((_, index) => ![2, 6, 19].includes(index)),
  );
  await database.query("drop policy hide_some on app_public.comments");
});
