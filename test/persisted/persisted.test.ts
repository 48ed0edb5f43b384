import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { readOperations } from "../../src/graphql/request/persistedOperations.ts";
import { type Answer, useService } from "../support/service.ts";

const persistedDir = mkdtempSync(join(tmpdir(), "content-service-persisted-"));
const hash = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38";
writeFileSync(join(persistedDir, `${hash}.graphql`), "query One($id: ID!) { user(id: $id) { name } }");
/** More selections and more mutations than a client's own text may have. */
const creations = Array.from({ length: 6 }, (_, i) => `p${i}: createPost(input: {title: "T", content: "C"}) { ...P }`);
const largeText = `mutation Large { ${creations.join(" ")} } fragment P on Post { ${"title ".repeat(40)} }`;
writeFileSync(join(persistedDir, "large.graphql"), largeText);
const deep = `${"author { posts(limit: 1) { ".repeat(6)} id ${"} }".repeat(6)}`;
const longText = `{ ${Array.from({ length: 500 }, (_, i) => `user${i}: user(id: 1) { name }`).join(" ")} ...F } fragment F on Query { user(id: 1) { posts(limit: 1) { ${deep} } } }`;
writeFileSync(join(persistedDir, "long.graphql"), longText);
writeFileSync(join(persistedDir, "outdated.graphql"), "{ postsCount xyzzyxyzzy }");
writeFileSync(join(persistedDir, "broken.graphql"), "{ postsCount");
afterAll(() => rmSync(persistedDir, { recursive: true }));

const either = useService({ persistedDir });
const only = useService({ persistedDir, persistedOnly: true });
const variables = { id: "1" };
const ada = { data: { user: { name: "Ada" } } };
const text = "query One($id: ID!) { user(id: $id) { name } }";

async function ask(url: string, body: object) {
  const headers = { "content-type": "application/json", accept: "application/graphql-response+json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}
const refused = (message: string, status = 400, code = "GRAPHQL_VALIDATION_FAILED") => ({
  status,
  body: { errors: [{ message, extensions: { code } }] },
});
const notFound = refused("PersistedQueryNotFound", 200, "PERSISTED_QUERY_NOT_FOUND");

describe("an operation is named instead of sent", () => {
  test.each([
    ["as Apollo does", { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
    ["as Relay does", { documentId: hash }],
    ["by its id", { id: hash }],
  ])("%s", async (_, named) => {
    for (const { url } of [either, only])
      expect(await ask(url, { ...named, variables })).toEqual({ status: 200, body: ada });
  });

  test.each(["0".repeat(64), "", "__proto__", "constructor", "../persisted", `${hash}.graphql`])(
    "that there is not (%j) is refused as clients know it, and nothing of the request is printed",
    async (unknown) => {
      const printed = mock.method(console, "error", () => {});
      for (const { url } of [either, only]) {
        expect(await ask(url, { documentId: unknown, variables })).toEqual(notFound);
      }
      expect(printed.mock.callCount()).toBe(0);
      printed.mock.restore();
    },
  );
});

describe("an operation's own text", () => {
  test("is answered where the list is not all there is, with a hash or without", async () => {
    expect(await ask(either.url, { query: text, variables })).toEqual({ status: 200, body: ada });
    expect(await ask(either.url, { query: text, variables, documentId: "other" })).toEqual({ status: 200, body: ada });
  });

  test("is refused where it is, even when it is on the list, and is not looked at beside a hash", async () => {
    expect(await ask(only.url, { query: text, variables })).toEqual(refused("Name a persisted operation by its hash."));
    expect(await ask(only.url, { query: "{ users { id } }", documentId: hash, variables })).toEqual({
      status: 200,
      body: ada,
    });
  });
});

describe("a client registers an operation by its hash, as Apollo and urql do", () => {
  const named = (query: string) => {
    const sha256Hash = createHash("sha256").update(query).digest("hex");
    return { extensions: { persistedQuery: { version: 1, sha256Hash } }, variables };
  };

  test("and names it from then on", async () => {
    const query = `${text} # registered`;
    expect(await ask(either.url, named(query))).toEqual(notFound);
    expect(await ask(either.url, { query, ...named(query) })).toEqual({ status: 200, body: ada });
    expect(await ask(either.url, named(query))).toEqual({ status: 200, body: ada });
  });

  test("of that text, and of no other", async () => {
    const answer = await ask(either.url, { query: "{ postsCount }", ...named("{ users { id } }") });
    expect(answer).toEqual(refused("extensions.persistedQuery.sha256Hash is not the SHA-256 of query."));
    expect(await ask(either.url, named("{ users { id } }"))).toEqual(notFound);
  });

  test("which keeps its limits", async () => {
    await ask(either.url, { query: largeText, ...named(largeText) });
    const { body } = await ask(either.url, named(largeText));
    expect((body as Answer).errors?.map(({ extensions }) => extensions.limit.name)).toEqual([
      "selections",
      "mutations",
    ]);
  });

  test("and hears that it cannot, where only the operator's operations run", async () => {
    expect(await ask(only.url, named(text))).toEqual(
      refused("PersistedQueryNotSupported", 200, "PERSISTED_QUERY_NOT_SUPPORTED"),
    );
  });
});

test("the limits of selections and mutations are for clients' own texts only", async () => {
  const { body: persisted } = await ask(either.url, { documentId: "large" });
  expect(persisted).toMatchObject({
    data: { p5: null },
    errors: { length: 6, 5: { extensions: { code: "UNAUTHORIZED", reason: "NOT_SIGNED_IN" } } },
  });
  const { body: own } = await ask(either.url, { query: largeText });
  const limits = (own as Answer).errors?.map(({ extensions }) => extensions.limit.name);
  expect(limits).toEqual(["selections", "mutations"]);
});

test("the operator's texts have no limits of bytes, tokens and depth", async () => {
  expect(longText.length).toBeGreaterThan(15_000);
  const { body } = await ask(either.url, { documentId: "long" });
  expect((body as Answer).errors).toBeUndefined();
  expect(Object.keys((body as Answer).data)).toHaveLength(501);
});

test("operations that the schema does not fit are named in the log at the start, fail when they are called, and harm no others", async () => {
  const unfit = {
    broken: ["Syntax Error: Expected Name, found <EOF>."],
    outdated: ['Cannot query field "xyzzyxyzzy" on type "Query".'],
  };
  expect(either.logged).toContainEqual(expect.objectContaining({ level: 40, unfit }));
  for (const [documentId, [message]] of Object.entries(unfit)) {
    const { status, body } = await ask(either.url, { documentId });
    expect([status, (body as Answer).errors?.[0]?.message]).toEqual([400, message]);
  }
});

test("a directory that cannot be read is named at the start", () => {
  expect(() => readOperations("/no/such/place")).toThrow(/^PERSISTED_DIR: \/no\/such\/place cannot be read/);
});
