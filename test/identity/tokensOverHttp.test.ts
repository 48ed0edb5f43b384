import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import pg from "pg";
import { people, useService } from "../support/service.ts";
import { badTokens, signed } from "./badTokens.ts";
import { encode, inSeconds } from "./forge.ts";

/* Bad tokens over HTTP: the same refusal for all, before the service takes a database connection. */
const service = useService();
const query = "{ me { id } postsCount }";

const invalid = refused("The access token is not valid.", "TOKEN_INVALID");
const expired = refused("The access token has expired.", "TOKEN_EXPIRED");

function refused(message: string, reason: string) {
  return { errors: [{ message, extensions: { code: "UNAUTHORIZED", reason } }], data: null };
}

/** The requests for a connection since the test began. */
let connections: jest.SpiedFunction<() => Promise<pg.PoolClient>>;
beforeEach(() => {
  connections = jest.spyOn(pg.Pool.prototype, "connect" as never) as never;
});
afterEach(() => connections.mockRestore());

async function send(authorization: string | string[], body = query): Promise<unknown> {
  const headers = new Headers({ "content-type": "application/json" });
  for (const one of [authorization].flat()) headers.append("authorization", one);
  const response = await fetch(service.url, { method: "POST", headers, body: JSON.stringify({ query: body }) });
  return response.json();
}

describe("refuses with the same error, without a database connection:", () => {
  test.each(badTokens)("%s", async (_what, token) => {
    expect(await send(`Bearer ${token}`)).toEqual(invalid);
    expect(connections).not.toHaveBeenCalled();
  });

  test.each([
    ["a token that has expired", () => `Bearer ${signed({ exp: inSeconds(-900) })}`, expired],
    ["two tokens", () => [`Bearer ${signed()}`, `Bearer ${signed()}`], invalid],
    ["two tokens in one header", () => `Bearer ${signed()}, Bearer ${signed()}`, invalid],
    ["another scheme", () => `Basic ${encode("ada:password")}`, invalid],
    ["a bare token", () => signed(), invalid],
  ])("%s", async (_what, authorization, refusal) => {
    expect(await send(authorization())).toEqual(refusal);
    expect(connections).not.toHaveBeenCalled();
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
    expect(await send(`Bearer ${signed({ sub })}`, "mutation { a: signOut b: signOut }")).toEqual(invalid);
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

test("the next good request on the same connection works", async () => {
  const token = `Bearer ${signed()}`;
  for (const bad of ["Bearer x", `Bearer ${signed({ exp: 1 })}`, `Bearer ${signed({ sub: people.mallory })}`]) {
    await send(bad);
    expect(await send(token)).toMatchObject({ data: { me: { id: people.ada } } });
  }
});
