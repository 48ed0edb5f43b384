import { randomUUID } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import { useService } from "../support/service.ts";
import { onServer } from "../support/template.ts";
import { type Account, expectShutOut, listen, password, send, signIn, signUp } from "./account.ts";

/* Emails are confirmed and changed, passwords are reset, and accounts are deleted by their users. */
const service = useService();
const { database } = service;

interface Mail {
  kind: string;
  email: string;
  token: string;
}
const takeMail = () =>
  database.query<Mail & pg.QueryResultRow>("select kind, email, token from app_private.take_mail(100)");
const tokenOf = async (kind: string) => (await takeMail()).find((mail) => mail.kind === kind)?.token ?? "";
const rowsOf = async (table: string) => (await database.query(`select from app_private.${table}`)).length;

beforeEach(async () => {
  await database.query(
    "delete from app_private.mail_outbox; delete from app_private.account_tokens; delete from app_private.mail_ledger",
  );
});

/** A user who has confirmed the email. No mail of it counts. */
async function signUpConfirmed(): Promise<Account> {
  const account = await signUp(service);
  await database.query("update app_private.accounts set verified_at = now() where user_id = $1", [account.id]);
  await database.query("delete from app_private.mail_outbox");
  return account;
}

const requestReset = (email: string) =>
  send(service, `mutation { requestPasswordReset(email: "${email}") { success } }`);
const reset = (token: string, given = "another password") =>
  send(service, `mutation { resetPassword(token: "${token}", newPassword: "${given}") { userId accessToken } }`);
const confirm = (token: string) => send(service, `mutation { confirmEmail(token: "${token}") { id } }`);
const confirmAll = (token: string) =>
  send(service, `mutation { confirmEmail(token: "${token}") { id name email isEmailConfirmed role } }`);
const requestChange = ({ accessToken }: Account, email: string, given = password) =>
  send(service, `mutation { requestEmailChange(email: "${email}", password: "${given}") { email } }`, accessToken);

const invalidToken = [
  {
    message: "Input failed validation",
    extensions: {
      code: "VALIDATION_ERROR",
      validationErrors: [
        {
          path: ["token"],
          field: "token",
          code: "TOKEN_INVALID",
          message: "This token is wrong, used or expired. Request a new one.",
        },
      ],
    },
  },
];

describe("the outbox", () => {
  const login = `mailer_${randomUUID().replaceAll("-", "")}`;
  const mailer = {} as { url: string };

  beforeAll(async () => {
    const secret = randomUUID();
    await database.query(`create role ${login} with login password '${secret}'`);
    database.ends.defer(() => onServer(database.ownerUrl, `drop owned by ${login}; drop role ${login}`));
    await database.query("select app_private.admit_mailer($1)", [login]);
    mailer.url = Object.assign(new URL(database.ownerUrl), { username: login, password: secret }).href;
  });

  test("wakes the mailer, whose login takes each mail once and reads nothing else", async () => {
    const [one, other] = [new pg.Client(mailer.url), new pg.Client(mailer.url)];
    await Promise.all([one.connect(), other.connect()]);
    try {
      await one.query("listen mail_outbox");
      const woken = once(one, "notification");
      const { email } = await signUp(service);
      await woken;
      await one.query("begin");
      const take = "select kind, email, length(token) as length from app_private.take_mail(10)";
      const mail = { kind: "VERIFY_EMAIL", email, length: 64 };
      expect((await one.query(take)).rows).toEqual([mail]);
      expect((await other.query(take)).rows).toEqual([]);
      await one.query("rollback");
      expect((await other.query(take)).rows).toEqual([mail]);
      for (const sql of [
        "select from app_private.mail_outbox",
        "select from app_private.account_tokens",
        "select from app_private.accounts",
        "select from app_public.users",
        "select app_private.erase_user(1)",
      ]) {
        await expect(other.query(sql)).rejects.toMatchObject({ code: "42501" });
      }
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  });

  test("has the only copy of a token", async () => {
    await signUp(service);
    const token = await tokenOf("VERIFY_EMAIL");
    const [row] = await database.query("select to_jsonb(t)::text as text from app_private.account_tokens t");
    expect(row?.["text"]).not.toContain(token);
  });

  test("loses expired mails and tokens in the maintenance, and gives none of them away before", async () => {
    await signUp(service);
    await database.query(
      "update app_private.mail_outbox set expires_at = now() - interval '1 s'; update app_private.account_tokens set expires_at = now() - interval '1 s'",
    );
    const run = "select rows from app_private.run_job($1)";
    expect(await database.query(run, ["mail_outbox"])).toEqual([{ rows: 1 }]);
    expect(await database.query(run, ["account_tokens"])).toEqual([{ rows: 1 }]);
    await signUp(service);
    await database.query("update app_private.mail_outbox set expires_at = now() - interval '1 s'");
    expect(await takeMail()).toEqual([]);
  });
});

describe("confirming an email", () => {
  test("verifies the account; a second click on the link says so again", async () => {
    const { id, accessToken } = await signUp(service);
    const isConfirmed = async () =>
      (await send(service, "{ me { isEmailConfirmed } }", accessToken)).data.me.isEmailConfirmed;
    expect(await isConfirmed()).toBe(false);
    const isVerified = () => database.query("select app_private.is_verified($1) as is", [id]);
    expect(await isVerified()).toEqual([{ is: false }]);
    const token = await tokenOf("VERIFY_EMAIL");
    expect(await confirm(token)).toEqual({ data: { confirmEmail: { id } } });
    expect(await isVerified()).toEqual([{ is: true }]);
    expect(await isConfirmed()).toBe(true);
    const before = await database.query("select * from app_private.accounts where user_id = $1", [id]);
    expect(await confirm(token)).toEqual({ data: { confirmEmail: { id } } });
    expect(await database.query("select * from app_private.accounts where user_id = $1", [id])).toEqual(before);
  });

  test("has the same response for each click on the link, which signs nobody in again, until something changes", async () => {
    const { id, email, accessToken } = await signUp(service);
    const draft = `mutation { createPost(input: { title: "Draft", content: "x" }) { id } }`;
    await send(service, draft, accessToken);
    const token = await tokenOf("VERIFY_EMAIL");
    const first = await confirmAll(token);
    expect(first.data.confirmEmail).toEqual({ id, name: "P", email, isEmailConfirmed: true, role: "USER" });
    for (let click = 0; click < 3; click++) expect(await confirmAll(token)).toEqual(first);
    const both = await Promise.all([confirmAll(token), confirmAll(token)]);
    expect(both).toEqual([first, first]);
    const posts = `mutation { confirmEmail(token: "${token}") { postsConnection(status: DRAFT) { totalCount } } }`;
    expect((await send(service, posts)).data.confirmEmail.postsConnection.totalCount).toBe(0);
    await send(service, "mutation { signOutEverywhere { success } }", accessToken);
    expect((await confirmAll(token)).errors).toMatchObject(invalidToken);
  });

  test("can be asked for again until it is done, three times in an hour", async () => {
    const { accessToken } = await signUp(service);
    await takeMail();
    const request = () => send(service, "mutation { requestEmailVerification { success } }", accessToken);
    for (let i = 0; i < 4; i++)
      expect(await request()).toEqual({ data: { requestEmailVerification: { success: true } } });
    const mails = await takeMail();
    expect(mails).toHaveLength(2);
    expect((await confirm(mails[0]?.token ?? "")).errors).toBeUndefined();
    await request();
    expect(await takeMail()).toEqual([]);
  });
});

describe("changing an email", () => {
  test("takes effect with the token, tells the former email, and voids other tokens", async () => {
    const account = await signUp(service);
    const formerToken = await tokenOf("VERIFY_EMAIL");
    await confirm(formerToken);
    await requestReset(account.email);
    const resetToken = await tokenOf("RESET_PASSWORD");
    expect(await requestChange(account, " new@example.com")).toEqual({
      data: { requestEmailChange: { email: account.email } },
    });
    expect((await signIn(service, account.email)).errors).toBeUndefined();
    const [mail] = await takeMail();
    expect(mail).toMatchObject({ kind: "CHANGE_EMAIL", email: "new@example.com" });
    for (const _ of ["", "a second click"]) expect((await confirm(mail?.token ?? "")).errors).toBeUndefined();
    expect((await confirm(formerToken)).errors).toMatchObject(invalidToken);
    expect(await takeMail()).toEqual([{ kind: "EMAIL_CHANGED", email: account.email, token: null }]);
    expect((await signIn(service, "new@example.com")).errors).toBeUndefined();
    expect((await signIn(service, account.email)).errors).toBeDefined();
    expect((await reset(resetToken)).errors).toMatchObject(invalidToken);
  });

  test("needs the password, an email, and a request with a token", async () => {
    const account = await signUp(service);
    const wrong = await requestChange(account, "x@example.com", "wrong password");
    expect(wrong.errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED", reason: "WRONG_PASSWORD" } }]);
    const fault = (await requestChange(account, "no email")).errors?.[0]?.extensions.validationErrors;
    expect(fault).toMatchObject([{ path: ["email"], code: "FORMAT" }]);
    const anonymous = await send(
      service,
      `mutation { requestEmailChange(email: "x@example.com", password: "") { id } }`,
    );
    expect(anonymous.errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
  });

  test("does not tell whether another user has the email", async () => {
    const [account, other] = [await signUpConfirmed(), await signUpConfirmed()];
    const [tokens, mails] = [await rowsOf("account_tokens"), await rowsOf("mail_outbox")];
    const taken = await requestChange(account, other.email.toUpperCase());
    expect([await rowsOf("account_tokens"), await rowsOf("mail_outbox")]).toEqual([tokens + 1, mails + 1]);
    expect(await takeMail()).toEqual([]);
    expect(taken).toEqual(await requestChange(account, "free@example.com"));
    expect(await takeMail()).toHaveLength(1);
  });

  test("counts an email of another user against the ten mails as any other", async () => {
    const { email: taken } = await signUpConfirmed();
    const sentAfter = async (first: string) => {
      const account = await signUp(service);
      await requestChange(account, first);
      await takeMail();
      for (let i = 0; i < 10; i++) await requestChange(account, `${randomUUID()}@example.com`);
      return (await takeMail()).length;
    };
    expect(await sentAfter(taken)).toBe(await sentAfter("free@example.com"));
  });

  test("sends a stranger three mails in an hour at most, whatever the user does meanwhile", async () => {
    const stranger = `stranger-${randomUUID()}@example.com`;
    const mails: Mail[] = [];
    const account = await signUp(service);
    let { accessToken } = account;
    let current = password;
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 3; i++) await requestChange({ ...account, accessToken }, stranger, current);
      const change = `mutation { changePassword(currentPassword: "${current}", newPassword: "password ${round}") { accessToken } }`;
      mails.push(...(await takeMail()));
      ({ accessToken } = (await send(service, change, accessToken)).data.changePassword);
      current = `password ${round}`;
    }
    for (let round = 0; round < 5; round++) {
      const squatter = await signUp(service, round % 2 === 0 ? stranger : stranger.toUpperCase());
      await requestReset(stranger);
      await send(service, "mutation { requestEmailVerification { success } }", squatter.accessToken);
      mails.push(...(await takeMail()));
      await send(service, `mutation { deleteUser(password: "${password}") { success } }`, squatter.accessToken);
    }
    expect(mails.filter(({ email }) => email.toLowerCase() === stranger)).toHaveLength(3);
    const kept = await database.query("select l::text as text from app_private.mail_ledger l");
    expect(JSON.stringify(kept)).not.toContain("example");
    await database.query("update app_private.mail_ledger set requested_at = now() - interval '1 hour'");
    await signUp(service, stranger);
    expect(await takeMail()).toHaveLength(1);
  });

  test("sends three hundred mails in an hour from a network at most", async () => {
    const from = (network: string) =>
      database.query(
        `with given as materialized (select set_config('app.client_address', $1, true))
         select app_private.enter_in_mail_ledger('to-' || i || $1, null, false) as is_sent from given, generate_series(1, 301) as i`,
        [network],
      );
    const sent = (await from("2001:db8::1")).map(({ is_sent: isSent }) => isSent);
    expect(sent).toEqual([...Array(300).fill(true), false]);
    expect((await from("2001:db8:0:0:ffff::1")).some(({ is_sent: isSent }) => isSent)).toBe(false);
    expect((await from("2001:db8:0:1::1"))[0]).toEqual({ is_sent: true });
  });

  test("tells the former email only if it was confirmed, and tells it whatever the user does next", async () => {
    const account = await signUp(service);
    await takeMail();
    await requestChange(account, "unconfirmed@example.com");
    await confirm(await tokenOf("CHANGE_EMAIL"));
    expect(await takeMail()).toEqual([]);
    await requestChange(account, "confirmed@example.com");
    await confirm(await tokenOf("CHANGE_EMAIL"));
    await send(service, "mutation { signOutEverywhere { success } }", account.accessToken);
    expect(await takeMail()).toMatchObject([{ kind: "EMAIL_CHANGED", email: "unconfirmed@example.com" }]);
  });

  test("sends ten mails in an hour at most, to whatever emails", async () => {
    const account = await signUp(service);
    for (let i = 0; i < 11; i++) await requestChange(account, `stranger-${i}@example.com`);
    expect(await takeMail()).toHaveLength(10);
  });

  test("is refused if another user was faster", async () => {
    const tokens: string[] = [];
    for (const account of [await signUp(service), await signUp(service)]) {
      await requestChange(account, "wanted@example.com");
      tokens.push(await tokenOf("CHANGE_EMAIL"));
    }
    const answers = await Promise.all(tokens.map(confirm));
    const refused = answers.filter(({ errors }) => errors);
    expect(refused.map(({ errors }) => errors)).toMatchObject([invalidToken]);
  });
});

describe("resetting a password", () => {
  test("sets the password, and ends all sessions and limits of the account", async () => {
    const account = await signUpConfirmed();
    await database.query(
      "insert into app_private.failed_sign_ins (account, address) select app_private.account_key($1), '127.0.0.1' from generate_series(1, 10)",
      [account.email],
    );
    expect((await signIn(service, account.email)).errors?.[0]?.extensions.code).toBe("RATE_LIMITED");
    await requestReset(account.email.toUpperCase());
    const mail = (await takeMail()).at(-1);
    expect(mail).toMatchObject({ kind: "RESET_PASSWORD", email: account.email });
    expect(await reset(mail?.token ?? "")).toMatchObject({
      data: { resetPassword: { accessToken: expect.any(String) } },
    });
    expect((await signIn(service, account.email)).errors).toMatchObject([{ extensions: { reason: "WRONG_PASSWORD" } }]);
    expect((await signIn(service, account.email, "another password")).errors).toBeUndefined();
    const refresh = `mutation { refreshSession(refreshToken: "${account.refreshToken}") { userId } }`;
    expect((await send(service, refresh)).errors).toMatchObject([{ extensions: { reason: "SESSION_OVER" } }]);
  });

  test("tells nobody whether an email has an account, and writes as much without one", async () => {
    const { email } = await signUp(service);
    await database.query("delete from app_private.mail_outbox; delete from app_private.account_tokens");
    const known = await requestReset(email);
    expect([await rowsOf("account_tokens"), await rowsOf("mail_outbox")]).toEqual([1, 1]);
    for (const unknown of ["nobody@example.com", "mallory@example.com", "no email", "", "x".repeat(2_000)]) {
      await database.query("delete from app_private.mail_outbox; delete from app_private.account_tokens");
      expect(await requestReset(unknown)).toEqual(known);
      expect([await rowsOf("account_tokens"), await rowsOf("mail_outbox")]).toEqual([1, 1]);
      expect(await takeMail()).toEqual([]);
    }
  });

  test("sends three mails in an hour at most, however many requests come at once", async () => {
    const { email } = await signUpConfirmed();
    await Promise.all(Array.from({ length: 8 }, () => requestReset(email)));
    expect(await takeMail()).toHaveLength(3);
  });

  test("works once, also for concurrent requests", async () => {
    const { email } = await signUp(service);
    await requestReset(email);
    const token = await tokenOf("RESET_PASSWORD");
    const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => reset(token, `password number ${i}`)));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const { errors } of answers) if (errors) expect(errors).toMatchObject(invalidToken);
  });

  test("refuses wrong, expired, void and foreign tokens with the same error, and keeps the token when the password is refused", async () => {
    const { id, email } = await signUp(service);
    const foreign = await tokenOf("VERIFY_EMAIL");
    await requestReset(email);
    const token = await tokenOf("RESET_PASSWORD");
    expect((await reset(token, "short")).errors?.[0]?.extensions.validationErrors).toMatchObject([
      { path: ["newPassword"], code: "TOO_SHORT" },
    ]);
    await requestReset(email);
    const expired = await tokenOf("RESET_PASSWORD");
    await database.query(
      "update app_private.account_tokens set expires_at = now() where token_hash = sha256(convert_to($1, 'UTF8'))",
      [expired],
    );
    for (const each of ["", "wrong", foreign, expired]) expect((await reset(each)).errors).toMatchObject(invalidToken);
    expect((await confirm(token)).errors).toMatchObject(invalidToken);
    await database.query("update app_private.accounts set banned_at = now() where user_id = $1", [id]);
    expect((await reset(token)).errors).toMatchObject(invalidToken);
    await database.query("update app_private.accounts set banned_at = null where user_id = $1", [id]);
    expect((await reset(token)).errors).toMatchObject(invalidToken);
  });
});

describe("deleting an account", () => {
  const remove = (token: string, given = password) =>
    send(service, `mutation { deleteUser(password: "${given}") { success id message } }`, token);

  test("ends sessions and subscriptions at once, erases what the user wrote, and frees the email", async () => {
    const account = await signUp(service);
    const socket = await listen(service, account);
    const post = `createPost(input: { title: "Bye", content: "Bye.", status: PUBLISHED }) { id }`;
    const { data } = await send(service, `mutation { ${post} }`, account.accessToken);
    const chats = await send(service, "{ chatsConnection { nodes { id } } }", account.accessToken);
    const chatId = chats.data.chatsConnection.nodes[0].id;
    await send(service, `mutation { sendMessage(chatId: "${chatId}", text: "Bye.") { id } }`, account.accessToken);
    expect(await socket.messages.next()).toMatchObject({ type: "next" });
    await database.query("insert into app_public.follows (follower_id, followed_id) values (1, $1)", [account.id]);

    const message = `User ${account.id} is deleted.`;
    expect(await remove(account.accessToken)).toEqual({
      data: { deleteUser: { success: true, id: account.id, message } },
    });

    await expectShutOut(service, account, socket);
    const left = await service.ask(
      `{ user(id: "${account.id}") { id } post(id: "${data.createPost.id}") { id } chat(id: "${chatId}") { messagesConnection { nodes { text sender { id } } } } }`,
      { as: "ada" },
    );
    expect(left.data).toEqual({
      user: null,
      post: null,
      chat: { messagesConnection: { nodes: [{ text: "[erased]", sender: null }] } },
    });
    const ada = await service.ask(`{ user(id: "1") { following { count } followingConnection { totalCount } } }`);
    expect(ada.data.user).toEqual({ following: { count: 0 }, followingConnection: { totalCount: 0 } });
    const again = await signUp(service, account.email);
    expect(again.id).not.toBe(account.id);
  });

  test("needs the password", async () => {
    const { accessToken } = await signUp(service);
    const { data, errors } = await remove(accessToken, "wrong password");
    expect(data).toEqual({ deleteUser: null });
    expect(errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED", reason: "WRONG_PASSWORD" } }]);
    expect((await send(service, "{ me { id } }", accessToken)).errors).toBeUndefined();
    // Ada's account has no password.
    const ada = await service.ask(`mutation { deleteUser(password: "") { id } }`, { as: "ada" });
    expect(ada.errors).toMatchObject([{ extensions: { reason: "WRONG_PASSWORD" } }]);
  });

  test("is refused for the last admin", async () => {
    const { id, accessToken } = await signUp(service);
    await database.query(
      "update app_public.users set role = (case id when $1 then 'ADMIN' else 'USER' end)::app_public.user_role",
      [id],
    );
    expect((await remove(accessToken)).errors).toMatchObject([
      {
        message: "You are the last admin. Make another user an admin first.",
        extensions: { code: "UNAUTHORIZED", reason: "LAST_ADMIN" },
      },
    ]);
    await database.query("update app_public.users set role = 'ADMIN' where id = 3");
    expect((await remove(accessToken)).errors).toBeUndefined();
  });
});
