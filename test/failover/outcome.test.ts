import { pino } from "pino";
import { type App, startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { DroppingProxy } from "../../tools/support/DroppingProxy.ts";
import { useDatabase } from "../support/database.ts";
import { people, reuseSchema, testSecret, testSettings } from "../support/service.ts";
import { until } from "../support/until.ts";

/* A mutation whose answer is cut off. PostgreSQL has committed it, and nobody has heard so. */
const database = useDatabase();
let proxy: DroppingProxy;
let app: App;

beforeEach(async () => {
  proxy = await DroppingProxy.start(database.apiUrl);
  app = await startApp({ ...testSettings, apiDatabaseUrl: proxy.url, reuseSchema }, pino({ level: "silent" }));
});
afterEach(async () => {
  await app.close();
  await proxy.stop();
});

async function ask(query: string) {
  const signed = await createTokenSigner({ secret: testSecret })?.(people.ada);
  const response = await fetch(`${app.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${signed?.token}` },
    body: JSON.stringify({ query }),
  });
  const { data, errors = [] } = (await response.json()) as { data: any; errors?: any[] };
  return {
    status: response.status,
    data,
    codes: errors.map(({ extensions }) => extensions.code),
    retryAfter: response.headers.get("retry-after"),
  };
}

const idsOf = async (title: string) =>
  (await database.query<{ id: string }>("select id from app_public.posts where title = $1", [title])).map(
    ({ id }) => id,
  );

/** Sends a mutation that writes a post of that title, and breaks its connection when the post is there. */
async function cutOff(mutation: string, title: string) {
  proxy.mute();
  const answer = ask(mutation);
  await until(async () => (await idsOf(title)).length > 0);
  proxy.recover();
  return answer;
}

test("a mutation that was committed, and not answered, is OUTCOME_UNKNOWN", async () => {
  const createPost = `mutation { createPost(input: {title: "Cut", content: "Content."}) { id } }`;
  expect(await cutOff(createPost, "Cut")).toEqual({
    status: 503,
    data: { createPost: null },
    codes: ["OUTCOME_UNKNOWN"],
    // A client that retries by itself would do it twice.
    retryAfter: null,
  });
});

test("with its idempotencyKey it can be sent again, and is done once", async () => {
  const createPost = `mutation { createPost(idempotencyKey: "one", input: {title: "Once", content: "Content."}) { id } }`;
  expect(await cutOff(createPost, "Once")).toMatchObject({ codes: ["OUTCOME_UNKNOWN"] });
  const again = await ask(createPost);
  expect(await idsOf("Once")).toEqual([again.data.createPost.id]);
});

test("of several mutations, each says what is known of it", async () => {
  const create = (title: string) => `createPost(input: {title: "${title}", content: "Content."}) { title }`;
  // PostgreSQL answers the first one. The second one ends its own connection, before the commit.
  await database.query(`create function app_hidden.tg_end() returns trigger language plpgsql security definer as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
    create trigger _999_end before insert on app_public.posts for each row
      when (new.title = 'Ended') execute function app_hidden.tg_end()`);
  expect(await ask(`mutation { one: ${create("Done")} two: ${create("Ended")} }`)).toMatchObject({
    data: { one: { title: "Done" }, two: null },
    codes: ["SERVICE_UNAVAILABLE"],
  });
  expect(await idsOf("Ended")).toEqual([]);
});
