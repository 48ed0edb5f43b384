import { type Mock, mock } from "node:test";
import pg from "pg";
import { type Answer, people, useService } from "../support/service.ts";
import { badTokens, signed } from "./badTokens.ts";
import { encode, inSeconds } from "./forge.ts";

/* Bad tokens over HTTP: the same refusal for all, before the service takes a database connection. */
const service = useService();
const query = "{ me { id } postsCount }";

const invalid = refused("The access token is not valid.", "TOKEN_INVALID");
const expired = refused("The access token has expired.", "TOKEN_EXPIRED");

function refused(message: string, reason: string) {
  return { errors: [{ message, extensions: { code: "UNAUTHORIZED", reason } }] };
}

/** The requests for a connection since the test began. */
let connections: Mock<typeof pg.Pool.prototype.connect>;
beforeEach(() => {
  connections = mock.method(pg.Pool.prototype, "connect");
});
afterEach(() => connections.mock.restore());

function send(authorization: string | string[], body = query): Promise<unknown> {
  return post(authorization, JSON.stringify({ query: body }));
}

async function post(authorization: string | string[], body: string): Promise<unknown> {
  const headers = new Headers({ "content-type": "application/json" });
  for (const one of [authorization].flat()) headers.append("authorization", one);
  const response = await fetch(service.url, { method: "POST", headers, body });
  return response.json();
}

describe("refuses with the same error, without a database connection:", () => {
  test.each(badTokens)("%s", async (_what, token) => {
    expect(await send(`Bearer ${token}`)).toEqual(invalid);
    expect(connections.mock.callCount()).toBe(0);
  });

  test.each([
    ["a token that has expired", () => `Bearer ${signed({ exp: inSeconds(-900) })}`, expired],
    ["two tokens", () => [`Bearer ${signed()}`, `Bearer ${signed()}`], invalid],
    ["two tokens in one header", () => `Bearer ${signed()}, Bearer ${signed()}`, invalid],
    ["another scheme", () => `Basic ${encode("ada:password")}`, invalid],
    ["a bare token", () => signed(), invalid],
  ])("%s", async (_what, authorization, refusal) => {
    expect(await send(authorization())).toEqual(refusal);
    expect(connections.mock.callCount()).toBe(0);
  });

  test("before it reads an invalid document", async () => {
    expect(await send("Bearer x", "{ nothing }")).toEqual(invalid);
    expect(await send("Bearer x", "{ syntax")).toEqual(invalid);
  });
});

describe("a well-signed token", () => {
  test.each([
    ["of a banned user", people.mallory],
    ["of a deleted user", "404"],
    ["with the largest id there is", "9223372036854775807"],
  ])("%s is refused with the same error", async (_what, sub) => {
    expect(await send(`Bearer ${signed({ sub })}`)).toEqual(invalid);
    expect(
      await send(
        `Bearer ${signed({ sub })}`,
        "mutation { a: signOutEverywhere { success } b: signOutEverywhere { success } }",
      ),
    ).toEqual(invalid);
  });

  test("of a deleted user is refused from that moment on", async () => {
    const created = await service.ask(`mutation { createUser(name: "Eve", email: "eve@example.com") { id } }`);
    const token = `Bearer ${signed({ sub: created.data.createUser.id })}`;
    expect(await send(token)).toEqual({ data: { me: { id: created.data.createUser.id }, postsCount: 0 } });
    await service.database.query("delete from app_public.users where id = $1", [created.data.createUser.id]);
    expect(await send(token)).toEqual(invalid);
  });

  test.each([
    ["role", { role: "ADMIN" }],
    ["role of the database", { role: "postgres" }],
    ["search_path", { search_path: "evil" }],
    ["app.viewer_id", { "app.viewer_id": people.admin }],
    ["statement_timeout", { statement_timeout: "0" }],
    ["pgSettings", { pgSettings: { role: "postgres" } }],
  ])("that claims a %s has only the rights of its user", async (_what, claims) => {
    await service.database.query(
      "insert into app_public.posts (author_id, title, content) values (2, 'Draft', 'Text.')",
    );
    expect(await send(`Bearer ${signed(claims)}`)).toEqual({ data: { me: { id: people.ada }, postsCount: 0 } });
  });
});

describe("signIn and refreshSession need no token, so they run despite a bad one:", () => {
  const signIn = `signIn(email: "zoe@example.com", password: "long enough") { userId refreshToken user { name } }`;
  const gone = `refreshSession(refreshToken: "gone") { userId }`;
  let userId = "";
  beforeAll(async () => {
    const { data } = await service.ask(
      `mutation { createUser(name: "Zoe", email: "zoe@example.com", password: "long enough") { id } }`,
    );
    userId = data.createUser.id;
  });

  test.each([
    ["an expired one", () => `Bearer ${signed({ exp: inSeconds(-900) })}`],
    ["no token at all", () => "Bearer x"],
    ["two tokens", () => [`Bearer ${signed()}`, `Bearer ${signed()}`]],
    ["another scheme", () => `Basic ${encode("ada:password")}`],
    ["one of a banned user", () => `Bearer ${signed({ sub: people.mallory })}`],
    ["one of a deleted user", () => `Bearer ${signed({ sub: "404" })}`],
  ])("%s", async (_what, authorization) => {
    const count = "select count(*)::int from app_private.sessions";
    const [before] = await service.database.query(count);
    const { data } = (await send(authorization(), `mutation { ${signIn} }`)) as Answer;
    expect(data).toEqual({ signIn: { userId, refreshToken: expect.any(String), user: { name: "Zoe" } } });
    const refresh = `mutation { refreshSession(refreshToken: "${data.signIn.refreshToken}") { userId } }`;
    expect(await send(authorization(), refresh)).toEqual({ data: { refreshSession: { userId } } });
    expect(await service.database.query(count)).toEqual([{ count: (before?.count as number) + 1 }]);
  });

  test("in a fragment, with an alias, or both at once", async () => {
    const fragments = `mutation { ...A ... { __typename } } fragment A on Mutation { ...B } fragment B on Mutation { me: ${signIn} ${gone} }`;
    expect(await send("Bearer x", fragments)).toMatchObject({
      data: { me: { userId }, __typename: "Mutation", refreshSession: null },
      errors: [{ extensions: { reason: "SESSION_OVER" } }],
    });
  });

  test("as anonymous: the caller sees no more than anyone", async () => {
    const email = `mutation { signIn(email: "zoe@example.com", password: "long enough") { user { email } } }`;
    const answer = await send(`Bearer ${signed({ sub: userId, exp: inSeconds(-900) })}`, email);
    expect(answer).toEqual(await send([], email));
  });

  test("with the faults of the request itself, as without a token", async () => {
    expect(await send("Bearer x", "mutation { signIn }")).toEqual(await send([], "mutation { signIn }"));
    const wrong = `mutation { signIn(email: "a", password: "b") { userId } }`;
    expect(await send("Bearer x", wrong)).toEqual(await send([], wrong));
  });

  test("also when a client sends their hash first", async () => {
    const body = { extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } } };
    const { errors } = (await post("Bearer x", JSON.stringify(body))) as Answer;
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(["PERSISTED_QUERY_NOT_FOUND"]);
  });

  test.each([
    ["beside another mutation", `mutation { ${signIn} signOutEverywhere { success } }`],
    [
      "beside another one in a fragment",
      `mutation { ${signIn} ...A } fragment A on Mutation { signOutEverywhere { success } }`,
    ],
    ["beside a field that does not exist", `mutation { ${signIn} nothing }`],
    ["in another operation of the document", `query A { postsCount } mutation B { ${signIn} }`],
    ["only in name", "{ signIn: postsCount }"],
    ["in a fragment that is a cycle", "mutation { ...A } fragment A on Mutation { ...A }"],
    ["with no more than __typename", "mutation { __typename }"],
  ])("but not %s", async (_where, document) => {
    const body = JSON.stringify({ query: document, ...(document.includes("query A") ? { operationName: "A" } : null) });
    expect(await post("Bearer x", body)).toEqual(invalid);
    expect(connections.mock.callCount()).toBe(0);
  });

  test("a body that is no request is refused for its token", async () => {
    expect(await post("Bearer x", "{")).toEqual(invalid);
    expect(await post("Bearer x", "[]")).toEqual(invalid);
  });
});

test("the next good request on the same connection works", async () => {
  const token = `Bearer ${signed()}`;
  for (const bad of ["Bearer x", `Bearer ${signed({ exp: 1 })}`, `Bearer ${signed({ sub: people.mallory })}`]) {
    await send(bad);
    expect(await send(token)).toMatchObject({ data: { me: { id: people.ada } } });
  }
});
