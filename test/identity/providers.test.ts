import { readFileSync } from "node:fs";
import { mock } from "node:test";
import { clockSkewSeconds } from "../../src/identity/verifyJwt.ts";
import { readIssuers } from "../../src/issuerSettings.ts";
import { audience, OidcProvider } from "../support/OidcProvider.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { people, testSecret, useService } from "../support/service.ts";
import { forge, inSeconds } from "./forge.ts";
import { makeKey } from "./testKey.ts";

/* People of identity providers are users here. The provider is a real one, npm's oidc-provider. */
const provider = new OidcProvider({});
const service = useService({}, async () => {
  await provider.start();
  return { token: provider.trusted };
});
const { database } = service;
afterAll(() => provider.stop());

const me = "{ me { id name email } }";
let count = 0;

/** A person whom nobody has seen. */
function somebody(claims: Record<string, unknown> = {}): { subject: string; email: string } {
  count += 1;
  const [subject, email] = [`auth0|5f${count}`, `person${count}@example.com`];
  provider.people[subject] = { email, email_verified: true, name: `Person ${count}`, ...claims };
  return { subject, email };
}
async function askWith(token: string, query = me) {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { data?: any; errors?: { message: string; extensions: Record<string, unknown> }[] };
}
const askAs = async (subject: string, query = me) => askWith(await provider.tokenOf(subject), query);
const refused = (reason: string) => ({ errors: [{ extensions: { code: "UNAUTHORIZED", reason } }] });
const identitiesOf = (subject: string) =>
  database.query<{ user_id: string }>("select user_id::text from app_private.identities where subject = $1", [subject]);

/** Exchanges the rule for the test. */
async function withRule(body: string, run: () => Promise<void>): Promise<void> {
  const [{ rule } = { rule: "" }] = await database.query<{ rule: string }>(
    "select pg_get_functiondef('app_private.user_of_token(jsonb)'::regprocedure) as rule",
  );
  await database.query(
    `create or replace function app_private.user_of_token(claims jsonb) returns bigint language plpgsql volatile security definer as $$${body}$$`,
  );
  try {
    await run();
  } finally {
    await database.query(rule);
  }
}

describe("a person whom nobody here knows", () => {
  test("becomes a user, whose email the provider has verified, once for many requests and tokens", async () => {
    const { subject, email } = somebody({ name: "Zoë" });
    const tokens = await Promise.all([provider.tokenOf(subject), provider.tokenOf(subject)]);
    const answers = await Promise.all([...tokens, ...tokens, ...tokens].map((token) => askWith(token)));
    const [{ user_id: id } = { user_id: "" }, ...others] = await identitiesOf(subject);
    expect(others).toEqual([]);
    expect(answers).toEqual(answers.map(() => ({ data: { me: { id, name: "Zoë", email } } })));
    expect((await askAs(subject, "{ me { isEmailConfirmed role } }")).data.me).toEqual({
      isEmailConfirmed: true,
      role: "USER",
    });
  });

  test("is the user who has confirmed the email here", async () => {
    const { subject, email } = somebody();
    const { data } = await service.ask(
      `mutation { createUser(name: "Here", email: "${email.toUpperCase()}", password: "a password of theirs") { id } }`,
    );
    const { id } = (data as any).createUser;
    await database.query("update app_private.accounts set verified_at = now() where user_id = $1", [id]);
    expect((await askAs(subject)).data.me).toEqual({ id, name: "Here", email: email.toUpperCase() });
    const signIn = `mutation { signIn(email: "${email}", password: "a password of theirs") { userId } }`;
    expect((await service.ask(signIn)).errors).toBeUndefined();
  });

  test.each([
    ["no email", { email: undefined }],
    ["an email that is not verified", { email_verified: false }],
    ["an email that may be verified", { email_verified: undefined }],
    ["what is no email", { email: "nonsense" }],
    ["an email that is no text", { email: { value: "x@example.com" } }],
    ["a text that PostgreSQL cannot hold", { email: "a\u0000b@example.com" }],
  ])("with %s has no account here", async (_what, claims) => {
    const { subject } = somebody(claims);
    expect(await askAs(subject)).toMatchObject(refused("NO_ACCOUNT"));
    expect(await identitiesOf(subject)).toEqual([]);
  });

  test("does not become the user with that number", async () => {
    const { email } = somebody();
    provider.people[people.admin] = { email, email_verified: true, name: "Not the admin" };
    expect((await askAs(people.admin)).data.me).toMatchObject({ name: "Not the admin" });
    provider.people[people.ada] = { name: "Not Ada" };
    expect(await askAs(people.ada)).toMatchObject(refused("NO_ACCOUNT"));
  });

  test.each([null, 7, "", " ", "\u200b", "x".repeat(200), ["a"], { a: 1 }, "a\nb", "\ufdd0", "Ada\u0000\u202e\u0007"])(
    "with the name %j has an account",
    async (name) => {
      const { subject, email } = somebody({ name });
      expect((await askAs(subject)).data.me).toMatchObject({ email, name: expect.stringMatching(/\S/) });
    },
  );
});

describe("a token", () => {
  test("for another audience, of another signer or without an expiry is not good", async () => {
    const { subject } = somebody();
    const stranger = await makeKey("RS256", "any");
    const claims = { iss: provider.issuer, aud: audience, sub: subject };
    const expiring = { ...claims, exp: inSeconds(900) };
    for (const token of [
      await provider.tokenOf(subject, { aud: "https://other.example" }),
      forge({ alg: "RS256", kid: stranger.kid }, expiring, stranger.privateKey),
      forge({ alg: "HS256" }, expiring, Buffer.from(testSecret)),
      forge({ alg: "HS256" }, { ...expiring, sub: people.admin }, Buffer.from(testSecret)),
      forge({ alg: "none" }, expiring, ""),
    ]) {
      expect(await askWith(token)).toMatchObject({
        errors: [{ extensions: { code: expect.stringMatching(/^(UNAUTHORIZED|SERVICE_UNAVAILABLE)$/) } }],
      });
    }
    expect(await identitiesOf(subject)).toEqual([]);
  });

  test("of ours works beside them", async () => {
    expect(await service.ask("{ me { id } }", { as: "ada" })).toEqual({ data: { me: { id: people.ada } } });
  });

  test("closes its socket when it expires, and a ban counts at once", async () => {
    const { subject } = somebody();
    // It has a second and the tolerated difference of clocks.
    mock.timers.enable({ apis: ["Date"], now: Date.now() - clockSkewSeconds * 1_000 });
    const token = await provider.tokenOf(subject, { expiresIn: 1 });
    mock.timers.reset();
    const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    socket.say({ type: "connection_init", payload: { authToken: token } });
    expect(await socket.closed).toBe(4403);
    const lasting = await provider.tokenOf(subject);
    const { id } = (await askWith(lasting)).data.me;
    await service.ask(`mutation { banUser(userId: "${id}", reason: "Spam") { id } }`, { as: "admin" });
    expect(await askWith(lasting)).toMatchObject(refused("TOKEN_INVALID"));
  });
});

test("a user who is deleted is gone with the identity; the person may come again, as a new user", async () => {
  const { subject } = somebody();
  const token = await provider.tokenOf(subject);
  const { id } = (await askWith(token)).data.me;
  await database.query("select app_private.erase_user($1)", [id]);
  expect(await identitiesOf(subject)).toEqual([]);
  expect(await askWith(token)).toMatchObject(refused("TOKEN_INVALID"));
  expect((await askAs(subject)).data.me.id).not.toBe(id);
});

describe("the rule", () => {
  test("is asked once for each token, with its claims", async () => {
    await database.query("create table app_private.asked (claims jsonb)");
    const body = "begin insert into app_private.asked values (claims); return 2; end";
    const { subject } = somebody({ groups: ["staff"] });
    await withRule(body, async () => {
      const token = await provider.tokenOf(subject);
      for (let turn = 0; turn < 3; turn++) expect((await askWith(token)).data.me.id).toBe("2");
    });
    const asked = await database.query<{ claims: object }>("select claims from app_private.asked");
    expect(asked).toEqual([
      { claims: expect.objectContaining({ sub: subject, iss: provider.issuer, groups: ["staff"] }) },
    ]);
  });

  test("may refuse, with words and a reason of its own, as docs/providers.md has it", async () => {
    const { subject } = somebody();
    const page = readFileSync(new URL("../../docs/providers.md", import.meta.url), "utf8");
    const [, refusal] = /```sql\n([\s\S]+?)```/.exec(page) ?? [];
    const body = `begin ${refusal} return 2; end`;
    const staff = somebody({ groups: ["all", "staff"] });
    await withRule(body, async () => expect((await askAs(staff.subject)).data.me.id).toBe("2"));
    await withRule(body, async () =>
      expect(await askAs(subject)).toMatchObject({
        errors: [{ message: "For staff only.", extensions: { reason: "STAFF_ONLY" } }],
      }),
    );
    await withRule("begin return null; end", async () =>
      expect(await askAs(subject)).toMatchObject(refused("NO_ACCOUNT")),
    );
  });

  test("that fails is the service's fault, and is asked again", async () => {
    const { subject, email } = somebody();
    const token = await provider.tokenOf(subject);
    await withRule("begin return 1 / 0; end", async () =>
      expect(await askWith(token)).toMatchObject({ errors: [{ extensions: { code: "INTERNAL_SERVER_ERROR" } }] }),
    );
    expect((await askWith(token)).data.me.email).toBe(email);
  });
});

describe("a provider", () => {
  const late = new OidcProvider({ x: { email: "late@example.com", email_verified: true } });
  const waiting = useService({}, async () => {
    await late.start();
    await late.stop();
    return { token: { secret: testSecret, issuers: [{ issuer: late.issuer, audience }] } };
  });
  afterEach(() => mock.timers.reset());

  test("that does not answer at start is named; its tokens cannot be judged until it does", async () => {
    expect(waiting.logged.map(({ msg }) => msg)).toContain(
      `${late.issuer} of JWT_ISSUERS does not answer. Until it does, its tokens are refused with SERVICE_UNAVAILABLE`,
    );
    await late.start();
    const ask = async () => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${await late.tokenOf("x")}` };
      return (await fetch(waiting.url, { method: "POST", headers, body: JSON.stringify({ query: me }) })).json();
    };
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    expect(await ask()).toMatchObject({ errors: [{ extensions: { code: "SERVICE_UNAVAILABLE" } }] });
    expect(await waiting.ask("{ me { id } }", { as: "ada" })).toEqual({ data: { me: { id: people.ada } } });
    mock.timers.setTime(Date.now() + 11_000);
    expect(await ask()).toMatchObject({ data: { me: { email: "late@example.com" } } });
    await late.stop();
  });
});

test.each([
  ["nonsense", /^is a list, or the path of a file with one/],
  ["[", /^is no JSON/],
  ["[1]", /no URL/],
  [
    '[{"issuer": "http://id.example.com", "audience": "x"}]',
    /"http:\/\/id.example.com", which is no URL that begins with https/,
  ],
  ['[{"issuer": "https://id.example.com"}]', /without an audience/],
  ['[{"issuer": "https://id.example.com", "audience": []}]', /without an audience/],
  ['[{"issuer": "https://id.example.com", "audience": "x", "keys": 1}]', /with keys; it knows issuer and audience/],
  [
    '[{"issuer": "https://id.example.com", "audience": "x"}, {"issuer": "https://id.example.com", "audience": "y"}]',
    /^has https:\/\/id.example.com twice/,
  ],
])("JWT_ISSUERS=%s is refused", (given, problem) => {
  expect(() => readIssuers(given)).toThrow(problem);
});
