import { mock } from "node:test";
import { OidcProvider } from "../support/OidcProvider.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { readEvents } from "../support/readEvents.ts";
import { type Answer, people, testSecret, untilListening, useService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { forge, inSeconds } from "./forge.ts";

/* An account that nobody has confirmed is never given to somebody else, and the end of sessions ends every credential. */
const provider = new OidcProvider({});
const service = useService({}, async () => {
  await provider.start();
  return { token: provider.trusted };
});
const { database } = service;
afterAll(() => provider.stop());

const password = "correct horse battery";
let count = 0;

async function send(query: string, token?: string, variables: Record<string, unknown> = {}): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(service.url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return (await response.json()) as Answer;
}
const signIn = (email: string, given = password) =>
  send(
    `mutation ($email: String!, $given: String!) { signIn(email: $email, password: $given) { accessToken refreshToken } }`,
    undefined,
    { email, given },
  );
const reasonOf = ({ errors }: Answer) => errors?.[0]?.extensions["reason"];

/** Somebody who has signed up and in. */
async function signUp(email = `somebody-${++count}@example.com`) {
  const up = await send(
    `mutation ($email: String!) { createUser(name: "Begun", email: $email, password: "${password}") { id } }`,
    undefined,
    { email },
  );
  expect(up.errors).toBeUndefined();
  const { accessToken, refreshToken } = (await signIn(email)).data.signIn;
  return { id: up.data.createUser.id as string, email, accessToken: accessToken as string, refreshToken };
}
async function signUpConfirmed() {
  const account = await signUp();
  await database.query("update app_private.accounts set verified_at = now() where user_id = $1", [account.id]);
  return account;
}
const tokenOfMail = async (kind: string, email: string) => {
  const mails = await database.query<{ kind: string; email: string; token: string }>(
    "select kind, email, token from app_private.take_mail(100)",
  );
  return mails.find((mail) => mail.kind === kind && mail.email === email)?.token ?? "";
};
/** What the provider says of a person. @returns an access token of it */
function tokenOfProvider(claims: Record<string, unknown>): Promise<string> {
  const subject = `subject-${++count}`;
  provider.people[subject] = { email_verified: true, name: "The person", ...claims };
  return provider.tokenOf(subject);
}

describe("an account that nobody has confirmed", () => {
  /** Nothing of what began the account works any more. */
  async function expectNothingLeft({ id, email, accessToken, refreshToken }: Awaited<ReturnType<typeof signUp>>) {
    expect(reasonOf(await send("{ me { email } }", accessToken))).toBe("TOKEN_INVALID");
    const change = `mutation { changePassword(currentPassword: "anything", newPassword: "a new password") { userId } }`;
    expect(reasonOf(await send(change, accessToken))).toBe("TOKEN_INVALID");
    expect(reasonOf(await send(`mutation { refreshSession(refreshToken: "${refreshToken}") { userId } }`))).toBe(
      "SESSION_OVER",
    );
    expect(reasonOf(await signIn(email))).toBe("WRONG_PASSWORD");
    const left = "select email, password_hash, verified_at from app_private.accounts where user_id = $1";
    expect(await database.query(left, [id])).toEqual([{ email: null, password_hash: null, verified_at: null }]);
    const tokens = "select from app_private.account_tokens where user_id = $1";
    expect(await database.query(tokens, [id])).toEqual([]);
    const seen = await service.ask(`{ user(id: "${id}") { name email isEmailConfirmed } }`, { as: "admin" });
    expect(seen).toEqual({ data: { user: { name: "Begun", email: "", isEmailConfirmed: false } } });
  }

  test("is not given to the person whose email a provider has verified", async () => {
    const begun = await signUp();
    const confirming = await tokenOfMail("VERIFY_EMAIL", begun.email);
    const token = await tokenOfProvider({ email: begun.email.toUpperCase() });
    const { data } = await send("{ me { id name email isEmailConfirmed } }", token);
    const email = begun.email.toUpperCase();
    expect(data.me).toEqual({ id: expect.any(String), name: "The person", email, isEmailConfirmed: true });
    expect(data.me.id).not.toBe(begun.id);
    await expectNothingLeft(begun);
    expect((await send(`mutation { confirmEmail(token: "${confirming}") { id } }`)).errors).toBeDefined();
  });

  test("is not given to the person who resets its password", async () => {
    const begun = await signUp();
    await send(`mutation { requestPasswordReset(email: "${begun.email}") { success } }`);
    const token = await tokenOfMail("RESET_PASSWORD", begun.email);
    const reset = `mutation { resetPassword(token: "${token}", newPassword: "the person’s password") { userId accessToken user { name email isEmailConfirmed } } }`;
    const { userId, accessToken, user } = (await send(reset)).data.resetPassword;
    expect(userId).not.toBe(begun.id);
    expect(user).toEqual({ name: begun.email.split("@")[0], email: begun.email, isEmailConfirmed: true });
    expect((await send("{ me { id } }", accessToken)).data.me.id).toBe(userId);
    await expectNothingLeft(begun);
    expect((await signIn(begun.email, "the person’s password")).errors).toBeUndefined();
  });

  test("loses its email to a user who confirms it", async () => {
    const begun = await signUp();
    const owner = await signUpConfirmed();
    const change = `mutation { requestEmailChange(email: "${begun.email}", password: "${password}") { id } }`;
    expect((await send(change, owner.accessToken)).errors).toBeUndefined();
    const token = await tokenOfMail("CHANGE_EMAIL", begun.email);
    const confirmed = await send(`mutation { confirmEmail(token: "${token}") { id email } }`);
    expect(confirmed.data).toEqual({ confirmEmail: { id: owner.id, email: begun.email } });
    expect(reasonOf(await send("{ me { email } }", begun.accessToken))).toBe("TOKEN_INVALID");
    expect((await send("{ me { email } }", owner.accessToken)).data.me).toEqual({ email: begun.email });
  });

  test("that a provider’s person comes to at the same time as its confirmation is one’s or the other’s", async () => {
    const begun = await signUp();
    const confirming = await tokenOfMail("VERIFY_EMAIL", begun.email);
    const token = await tokenOfProvider({ email: begun.email });
    const confirm = send(`mutation { confirmEmail(token: "${confirming}") { id } }`);
    const [confirmed, come] = await Promise.all([confirm, send("{ me { id } }", token)]);
    if (confirmed.errors) expect(come.data.me.id).not.toBe(begun.id);
    else expect(come.data.me.id).toBe(begun.id);
  });
});

describe("the first password", () => {
  const change = `mutation { changePassword(currentPassword: "anything", newPassword: "a first password") { accessToken } }`;

  test("needs a fresh token of a provider, or a mail", async () => {
    const { email } = { email: `fresh-${++count}@example.com` };
    mock.timers.enable({ apis: ["Date"], now: Date.now() - 11 * 60_000 });
    const stale = await tokenOfProvider({ email });
    mock.timers.reset();
    expect((await send("{ me { email } }", stale)).data.me).toEqual({ email });
    expect(await send(change, stale)).toMatchObject({
      errors: [
        {
          message: expect.stringMatching(/^This account has no password\. Set the first one by requestPasswordReset/),
          extensions: { code: "UNAUTHORIZED", reason: "NO_PASSWORD" },
        },
      ],
    });
    // Ada has none, and a token of the service is no proof.
    expect(reasonOf(await service.ask(change, { as: "ada" }))).toBe("NO_PASSWORD");
    const subject = `subject-${count}`;
    const set = await send(change, await provider.tokenOf(subject));
    expect((await send("{ me { email } }", set.data.changePassword.accessToken)).data.me).toEqual({ email });
    expect((await signIn(email, "a first password")).errors).toBeUndefined();
    expect((await send(change, await provider.tokenOf(subject))).errors).toMatchObject([
      { extensions: { reason: "WRONG_PASSWORD" } },
    ]);
  });
});

describe("emails are equal only where their letters of ASCII are", () => {
  /** Every character beyond ASCII that any case mapping or normalization turns into ASCII, alone or with a mark. */
  const lookalikes = Array.from({ length: 0x11_0000 - 128 }, (_, i) => i + 128)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) =>
      [character.toLowerCase(), character.toUpperCase(), character.normalize("NFC"), character.normalize("NFKC")].some(
        (form) => /^[!-~]\p{M}*$/u.test(form),
      ),
    );

  test("to a provider’s person, who gets no account of another email", async () => {
    expect(lookalikes).toEqual(expect.arrayContaining(["\u212a", "\u017f", "\u0130", "\uff41"]));
    const plainOf = (character: string) =>
      [character.toLowerCase(), character.normalize("NFKC").toLowerCase()].find((form) => /^[!-~]/.test(form))?.[0] ??
      character.toUpperCase()[0]?.toLowerCase();
    await database.query(
      `with made as (insert into app_public.users (name) select 'Plain' from generate_series(33, 126) where chr(generate_series) ~ '[a-z0-9]' returning id)
       insert into app_private.accounts (user_id, email, verified_at)
       select id, substr('abcdefghijklmnopqrstuvwxyz0123456789', row_number() over ()::int, 1) || 'lookalike@example.com', now() from made`,
    );
    const claims = lookalikes
      .filter((character) => /^[a-z0-9]$/.test(plainOf(character) ?? ""))
      .map((character) => `${character}lookalike@example.com`);
    expect(claims.length).toBeGreaterThan(100);
    const linked = await database.query(
      `select claim, (select email from app_private.accounts where user_id = app_private.user_of_token(
                jsonb_build_object('iss', 'https://x.example', 'sub', claim, 'email', claim, 'email_verified', true))) as email
         from jsonb_array_elements_text($1::jsonb) as claim`,
      [JSON.stringify(claims)],
    );
    expect(linked.filter(({ email }) => /^[a-z0-9]lookalike/.test(String(email)))).toEqual([]);
    await database.query("delete from app_private.identities where issuer = 'https://x.example'");
  });

  test("to whoever signs up, signs in, resets or changes the email", async () => {
    const email = `kelvin-${++count}@example.com`;
    const { accessToken } = await signUp(email);
    const kelvin = email.replace("k", "\u212a");
    expect((await signIn(email.toUpperCase())).errors).toBeUndefined();
    expect(reasonOf(await signIn(kelvin))).toBe("WRONG_PASSWORD");
    await database.query("delete from app_private.mail_outbox");
    await send(`mutation { requestPasswordReset(email: "${kelvin}") { success } }`);
    expect(await database.query("select from app_private.take_mail(10)")).toEqual([]);
    for (const character of ["\u212a", "\u037e", "\u1fef"]) {
      for (const query of [
        `mutation { createUser(name: "K", email: "${character}elvin@example.com") { id } }`,
        `mutation { requestEmailChange(email: "${character}elvin@example.com", password: "${password}") { id } }`,
      ]) {
        const faults = (await send(query, accessToken)).errors?.[0]?.extensions["validationErrors"];
        expect(faults).toMatchObject([{ path: ["email"], code: "FORMAT" }]);
      }
    }
  });
});

describe("the end of sessions", () => {
  const me = "{ me { id } }";
  /** Opens a chat with Ada, a socket and a stream that follow it, and a socket that follows nothing. */
  async function follow({ accessToken: authToken }: { accessToken: string }) {
    const chat = await send(`mutation { createChat(memberIds: ["${people.ada}"]) { id } }`, authToken);
    const chatId: string = chat.data.createChat.id;
    const query = `subscription { messageAdded(chatId: "${chatId}") { text } }`;
    const open = async () => {
      const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
      socket.say({ type: "connection_init", payload: { authToken } });
      expect(await socket.messages.next()).toEqual({ type: "connection_ack" });
      return socket;
    };
    const [socket, idle] = [await open(), await open()];
    socket.say({ type: "subscribe", id: "1", payload: { query } });
    const headers = { "content-type": "application/json", authorization: `Bearer ${authToken}` };
    const stream = await readEvents(service.url, { method: "POST", headers, body: JSON.stringify({ query }) });
    await untilListening(2, service.app);
    return { chatId, socket, idle, stream };
  }

  const ends: [string, (account: Awaited<ReturnType<typeof signUp>>) => Promise<string | undefined>][] = [
    [
      "by signOutEverywhere",
      async ({ accessToken }) => {
        const { data } = await send("mutation { signOutEverywhere { success } }", accessToken);
        expect(data.signOutEverywhere).toEqual({ success: true });
        return undefined;
      },
    ],
    [
      "by changePassword",
      async ({ accessToken }) => {
        const change = `mutation { changePassword(currentPassword: "${password}", newPassword: "another password") { accessToken } }`;
        return (await send(change, accessToken)).data.changePassword.accessToken;
      },
    ],
    [
      "by resetPassword",
      async ({ email }) => {
        await send(`mutation { requestPasswordReset(email: "${email}") { success } }`);
        const token = await tokenOfMail("RESET_PASSWORD", email);
        const reset = `mutation { resetPassword(token: "${token}", newPassword: "another password") { accessToken } }`;
        return (await send(reset)).data.resetPassword.accessToken;
      },
    ],
  ];

  test.each(ends)(
    "%s ends access tokens, tokens of mails, sockets and streams at once, and begins what is new",
    async (_how, end) => {
      const account = await signUpConfirmed();
      const { chatId, socket, idle, stream } = await follow(account);
      await send(`mutation { requestPasswordReset(email: "${account.email}") { success } }`);
      const mail = await tokenOfMail("RESET_PASSWORD", account.email);
      const fresh = await end(account);
      await service.ask(`mutation { sendMessage(chatId: "${chatId}", text: "Secret") { id } }`, { as: "ada" });
      expect(await Promise.all([socket.closed, idle.closed])).toEqual([4403, 4403]);
      expect(await stream.ended).toBe(true);
      expect(JSON.stringify([socket.messages.all, stream.events.all])).not.toContain("Secret");
      expect(stream.events.all.at(-2)).toContain("TOKEN_INVALID");
      expect(reasonOf(await send(me, account.accessToken))).toBe("TOKEN_INVALID");
      const reset = `mutation { resetPassword(token: "${mail}", newPassword: "of the mail") { userId } }`;
      expect((await send(reset)).errors?.[0]?.extensions["code"]).toBe("VALIDATION_ERROR");
      if (fresh) expect(await send(me, fresh)).toEqual({ data: { me: { id: account.id } } });
    },
  );

  test("does not end the sessions of others, nor a token of the same second that is newer", async () => {
    const [one, other] = [await signUpConfirmed(), await signUpConfirmed()];
    const { accessToken } = (await signIn(one.email)).data.signIn;
    await send("mutation { signOutEverywhere { success } }", accessToken);
    const { accessToken: next } = (await signIn(one.email)).data.signIn;
    expect(reasonOf(await send(me, accessToken))).toBe("TOKEN_INVALID");
    expect((await send(me, next)).data.me).toEqual({ id: one.id });
    expect((await send(me, other.accessToken)).data.me).toEqual({ id: other.id });
  });

  test("ends a token without iat, or with one that is no time; before, it was good", async () => {
    const { id } = await signUpConfirmed();
    const tokens = [{}, { iat: -1 }, { iat: 1e300 }, { iat: inSeconds(-1) }].map((claims) =>
      forge({ alg: "HS256" }, { sub: id, exp: inSeconds(600), ...claims }, Buffer.from(testSecret)),
    );
    for (const token of tokens) expect((await send(me, token)).data.me).toEqual({ id });
    await database.query("update app_private.accounts set credentials_since = now() where user_id = $1", [id]);
    for (const token of tokens) expect(reasonOf(await send(me, token))).toBe("TOKEN_INVALID");
  });

  test("counts from when the account could be changed, not from when the change began", async () => {
    const { id, accessToken } = await signUpConfirmed();
    // As a sign-in under way: the change waits for it.
    const signingIn = await database.hold(`select from app_private.accounts where user_id = ${id} for share`);
    const ending = send("mutation { signOutEverywhere { success } }", accessToken);
    await until(async () => (await database.query("select from pg_locks where not granted")).length > 0);
    const [{ iat } = { iat: 0 }] = await database.query<{ iat: number }>("select app_private.issued_at($1) as iat", [
      id,
    ]);
    await signingIn.release();
    expect((await ending).errors).toBeUndefined();
    const meanwhile = forge({ alg: "HS256" }, { sub: id, exp: inSeconds(600), iat }, Buffer.from(testSecret));
    expect(reasonOf(await send(me, meanwhile))).toBe("TOKEN_INVALID");
  });
});

describe("a person of a provider who is parted from the user", () => {
  test("is nobody by the token that was judged, and judged anew by the next; the session that it began ends", async () => {
    const email = `parted-${++count}@example.com`;
    const token = await tokenOfProvider({ email });
    const subject = `subject-${count}`;
    const { id } = (await send("{ me { id } }", token)).data.me;
    const change = `mutation { changePassword(currentPassword: "", newPassword: "a first password") { accessToken } }`;
    const { accessToken } = (await send(change, token)).data.changePassword;
    const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
    socket.say({ type: "connection_init", payload: { authToken: token } });
    await socket.messages.next();
    await database.query("update app_private.accounts set email = 'now-' || email where user_id = $1", [id]);
    expect((await send("{ me { id } }", token)).data.me).toEqual({ id });
    await database.query("delete from app_private.identities where user_id = $1", [id]);
    expect(await socket.closed).toBe(4403);
    expect(reasonOf(await send("{ me { id } }", accessToken))).toBe("TOKEN_INVALID");
    expect(reasonOf(await send("{ me { id } }", token))).toBe("TOKEN_INVALID");
    const next = (await send("{ me { id email } }", await provider.tokenOf(subject))).data.me;
    expect(next).toEqual({ id: expect.not.stringMatching(`^${id}$`), email });
  });

  test("stays the user when sessions end: the provider ends its tokens", async () => {
    const token = await tokenOfProvider({ email: `stays-${++count}@example.com` });
    await send("mutation { signOutEverywhere { success } }", token);
    expect((await send("{ me { name } }", token)).data.me).toEqual({ name: "The person" });
  });
});
