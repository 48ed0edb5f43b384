import { createTokenSigner } from "../../src/identity/signToken.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";
import { type RawAnswer, rawPost, sendRaw } from "../support/rawHttp.ts";
import { testSecret } from "../support/service.ts";
import { bodies } from "./bodies.ts";
import { excessive, invalid, unparsable } from "./documents.ts";
import { headers, tokens } from "./headers.ts";
import { badVariables, strangeCursors, strangeIds } from "./values.ts";

/*
 * The requests that attackers send to public APIs. Each gets its expected response without internal text. After each,
 * the same process answers a plain query. How long others wait meanwhile is measured by `npm run bystander`.
 */
const database = useDatabase();
let service: ServiceProcess;
const plain = JSON.stringify({ query: "{ postsCount }" });
let url: string;
let authorization: string;

beforeAll(async () => {
  const settings = { DATABASE_URL: database.ownerUrl, JWT_SECRET: testSecret, DATABASE_POOL_SIZE: "5" };
  service = database.ends.use(new ServiceProcess(settings));
  url = await service.url();
  authorization = `Bearer ${(await createTokenSigner({ secret: testSecret })?.("1"))?.token}`;
});

afterEach(async () => {
  const answer = await sendRaw(url, rawPost(plain));
  expect([answer.status, JSON.parse(answer.body).data]).toEqual([200, { postsCount: expect.any(Number) }]);
  expect(service.isRunning).toBe(true);
});

const send = (body: string | object, more: string[] = []) =>
  sendRaw(url, rawPost(typeof body === "string" ? body : JSON.stringify(body), more));

/** Internal text, which no response may contain. */
const internalText =
  /node_modules|\.ts:|\bat \w+ \(|app_(public|private|hidden)|pg_catalog|\bselect\b.*\bfrom\b|violates|relation "|column "|PostgreSQL|TypeError|RangeError|grafast|graphile/i;

function codesOf({ body }: RawAnswer): string[] {
  expect(body).not.toMatch(internalText);
  const { errors = [] } = JSON.parse(body);
  return [...new Set<string>(errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code))];
}

const short = (value: unknown) => JSON.stringify(value)?.slice(0, 80);
const titled = <T>(values: T[]): [string | undefined, T][] => values.map((value) => [short(value), value]);

test("there are more than 300 different requests", () => {
  const all = [
    bodies,
    unparsable,
    invalid,
    excessive,
    badVariables,
    strangeIds,
    strangeCursors,
    headers,
    tokens,
  ].flatMap((family, kind) => family.map((value) => `${kind} ${JSON.stringify(value)}`));
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(300);
});

test.each(titled(bodies))("a body that is not a request: %s", async (_, body) => {
  const answer = await send(body);
  expect([answer.status, codesOf(answer)]).toEqual([400, ["VALIDATION_ERROR"]]);
});

test.each(titled(unparsable))("a text that is not GraphQL: %s", async (_, query) => {
  const answer = await send({ query });
  expect([answer.status, codesOf(answer)]).toEqual([200, ["GRAPHQL_PARSE_FAILED"]]);
});

test.each(titled(invalid))("a document that does not fit the schema: %s", async (_, query) => {
  const answer = await send({ query });
  expect([answer.status, codesOf(answer)]).toEqual([200, ["GRAPHQL_VALIDATION_FAILED"]]);
});

test.each(titled(excessive))("a document beyond the limits: %s", async (_, query) => {
  const answer = await send({ query });
  expect([answer.status, codesOf(answer)]).toEqual([200, ["VALIDATION_ERROR"]]);
});

test.each(titled(badVariables))("variables that do not fit: %s", async (_, [query, variables]) => {
  const answer = await send({ query, variables }, [`Authorization: ${authorization}`]);
  expect([answer.status, codesOf(answer)]).toEqual([200, ["VALIDATION_ERROR"]]);
});

test.each(titled(strangeIds))("an id without a row: %s", async (_, id) => {
  const answer = await send({ query: "query A($id: ID!) { user(id: $id) { id } }", variables: { id } });
  expect([answer.status, codesOf(answer)]).toEqual([200, ["NOT_FOUND"]]);
});

test.each(titled(strangeCursors))("a cursor that the service has not issued: %s", async (_, after) => {
  const query = "query A($after: Cursor) { postsConnection(first: 1, after: $after) { nodes { id } } }";
  const answer = await send({ query, variables: { after } });
  expect([answer.status, codesOf(answer)]).toEqual([200, ["VALIDATION_ERROR"]]);
  expect(JSON.parse(answer.body).errors[0].extensions.validationErrors).toEqual([
    expect.objectContaining({ path: ["after"], code: "CURSOR" }),
  ]);
});

test.each(titled(headers))("headers: %s", async (_, [status, lines]) => {
  const answer = await send(plain, lines);
  expect(answer.status).toBe(status);
  if (answer.body !== "") codesOf(answer);
  expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
});

describe("an invalid token", () => {
  test.each(titled(tokens))("%s", async (_, token) => {
    const answer = await send(plain, [`Authorization: ${token}`]);
    expect([answer.status, codesOf(answer)]).toEqual([200, ["UNAUTHORIZED"]]);
    expect(JSON.parse(answer.body)).not.toHaveProperty("data");
  });
});
