import { createHash } from "node:crypto";
import pg from "pg";
import { type Answer, useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* Sign up, sign in, refresh and sign out through the API. */
const service = useService({ trustProxy: "loopback" });
const password = "correct horse battery";
const fields = "accessToken expiresIn refreshToken refreshTokenExpiresAt userId user { name email }";

let people = 0;
/** Creates a user with a password. */
async function signUp(): Promise<{ id: string; email: string }> {
  const email = `person-${++people}@example.com`;
  const { data, errors } = await service.ask(
    `mutation Up($email: String!, $password: String!) { createUser(name: "Person", email: $email, password: $password) { id } }`,
    { variables: { email, password } },
  );
  expect(errors).toBeUndefined();
  return { id: data.createUser.id, email };
}

async function signIn(email: string, given = password, address = "127.0.0.1"): Promise<Answer> {
  const query = `mutation In($email: String!, $given: String!) { signIn(email: $email, password: $given) { ${fields} } }`;
  return send({ "x-forwarded-for": address }, query, { email, given });
}
/** Stores failed sign-ins for this email, each from another network. */
const failFrom = (email: string, networks: number) =>
  service.database.query(
    "insert into app_private.failed_sign_ins (account, address) select app_private.account_key($1), i::text from generate_series(1, $2::int) i",
    [email, networks],
  );
const refresh = (refreshToken: string) =>
  service.ask(`mutation Next($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ${fields} } }`, {
    variables: { refreshToken },
  });

/** Ends the grace of every token that was used so far. */
const endGrace = () =>
  service.database.query("update app_private.refresh_tokens set used_at = used_at - interval '30 seconds'");

/** Sends a query with this token. */
const askWith = (token: string, query: string, variables: Record<string, unknown> = {}) =>
  send({ authorization: `Bearer ${token}` }, query, variables);

async function send(headers: Record<string, string>, query: string, variables: Record<string, unknown>) {
  const response = await fetch(service.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

const refusedWith = (message: string, reason: string) => [
  expect.objectContaining({ message, extensions: { code: "UNAUTHORIZED", reason } }),
];
const wrongPassword = refusedWith("The email or the password is wrong.", "WRONG_PASSWORD");
const sessionOver = refusedWith("This refresh token is no longer valid. Sign in again.", "SESSION_OVER");

describe("signing in", () => {
  test("returns tokens that work", async () => {
    const { id, email } = await signUp();
    const { data, errors } = await signIn(email.toUpperCase());
    expect(errors).toBeUndefined();
    expect(data.signIn).toMatchObject({ userId: id, expiresIn: expect.any(Number) });
    expect(900 - data.signIn.expiresIn).toBeLessThan(30);
    const me = await askWith(data.signIn.accessToken, "{ me { id email } }");
    expect(me).toEqual({ data: { me: { id, email } } });
  });

  test("with a wrong password and with an unknown email is refused with the same message", async () => {
    const { email } = await signUp();
    const wrong = await signIn(email, "wrong password");
    const unknown = await signIn("nobody-at-all@example.com");
    expect(wrong.data).toEqual({ signIn: null });
    expect(wrong.errors).toEqual(wrongPassword);
    expect(unknown).toEqual(wrong);
  });

  test("is refused for a banned user and for a user without a password", async () => {
    const { id, email } = await signUp();
    await service.database.query("update app_private.accounts set banned_at = now() where user_id = $1", [id]);
    expect((await signIn(email)).errors).toEqual(refusedWith("This account is banned", "BANNED"));
    expect((await signIn("ada@example.com", "")).errors).toEqual(wrongPassword);
  });

  test("is limited by account and network after ten wrong passwords, even with the right one", async () => {
    const { email } = await signUp();
    for (let i = 0; i < 10; i++) await signIn(email, "wrong password");
    const { data, errors } = await signIn(email);
    expect(data).toEqual({ signIn: null });
    expect(errors?.[0]?.extensions).toEqual({ code: "RATE_LIMITED", retryAfter: expect.any(Number) });
    expect(errors?.[0]?.extensions.retryAfter).toBeGreaterThan(0);
    expect((await signIn(email, password, "192.0.2.9")).errors).toBeUndefined();
    await service.database.query("delete from app_private.failed_sign_ins");
    expect((await signIn(email)).errors).toBeUndefined();
  });

  test("is limited by account after 100 wrong passwords from anywhere, except in networks of the user", async () => {
    const { id, email } = await signUp();
    await signIn(email, password, "192.0.2.1");
    await failFrom(email, 100);
    await failFrom("nobody@example.com", 100);
    expect((await signIn(email, password, "192.0.2.1")).errors).toBeUndefined();
    const stranger = await signIn(email, password, "192.0.2.2");
    expect(stranger.errors?.[0]?.extensions.code).toBe("RATE_LIMITED");
    expect((await signIn("nobody@example.com", password, "192.0.2.2")).errors?.[0]?.extensions.code).toBe(
      "RATE_LIMITED",
    );
    await service.database.query(
      "update app_private.sign_in_networks set signed_in_at = now() - interval '91 days' where user_id = $1",
      [id],
    );
    expect((await signIn(email, password, "192.0.2.1")).errors?.[0]?.extensions.code).toBe("RATE_LIMITED");
    await service.database.query("delete from app_private.failed_sign_ins");
  });

  test("does not wait for a stranger’s attempt", async () => {
    const { email } = await signUp();
    const stranger = await service.database.hold(
      `select set_config('app.client_address', '192.0.2.66', true), app_private.check_password('${email}', 'wrong')`,
    );
    try {
      expect((await signIn(email)).errors).toBeUndefined();
    } finally {
      await stranger.release();
    }
  });

  test("is limited by IP address after 50 wrong passwords for any accounts", async () => {
    const { email } = await signUp();
    await service.database.query(
      "insert into app_private.failed_sign_ins (account, address) select 'x' || i, '127.0.0.1' from generate_series(1, 50) i",
    );
    expect((await signIn(email)).errors?.[0]?.extensions.code).toBe("RATE_LIMITED");
    await service.database.query("delete from app_private.failed_sign_ins");
  });

  test("counts concurrent attempts as well", async () => {
    const { email } = await signUp();
    await service.database.query(
      "insert into app_private.failed_sign_ins (account, address) select app_private.account_key($1), '127.0.0.1' from generate_series(1, 8)",
      [email],
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(email, "wrong password")));
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code).sort();
    expect(codes).toEqual([...Array(4).fill("RATE_LIMITED"), ...Array(2).fill("UNAUTHORIZED")]);
    await service.database.query("delete from app_private.failed_sign_ins");
  });

  test("counts a failure for an email of any length, without storing the email", async () => {
    const endless = Array.from({ length: 2_000 }, (_, i) => createHash("sha256").update(`${i}`).digest("hex")).join("");
    expect((await signIn(endless)).errors).toEqual(wrongPassword);
    const [failure] = await service.database.query<{ account: string }>(
      "select account from app_private.failed_sign_ins",
    );
    expect(failure?.account).toHaveLength(64);
    await service.database.query("delete from app_private.failed_sign_ins");
  });

  test.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["no address at all", ""],
    ["", ""],
  ])("from %j is counted as from %j", async (address, network) => {
    const rows = await service.database.query(
      `with given as materialized (select set_config('app.client_address', $1, true))
       select app_private.client_network() as network from given`,
      [address],
    );
    expect(rows).toEqual([{ network }]);
  });

  test("refuses NUL in a password", async () => {
    const { errors } = await service.ask(
      `mutation Up($given: String) { createUser(name: "N", email: "nul@example.com", password: $given) { id } }`,
      { variables: { given: "long enough\0" } },
    );
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["password"], code: "CHARACTERS" }]);
  });

  test.each([
    ["too long", "x".repeat(201)],
    ["a run of combining marks", `long enough${"\u0316\u0300".repeat(16)}`],
  ])("refuses %s as a wrong password, even if an operator has set it", async (_what, given) => {
    const { id, email } = await signUp();
    await service.database.query(
      "update app_private.accounts set password_hash = app_private.password_hash($2, app_hidden.gen_salt('bf', 4)) where user_id = $1",
      [id, given],
    );
    expect((await signIn(email, given)).errors).toEqual(wrongPassword);
    const { errors } = await service.ask(
      `mutation Up($given: String) { createUser(name: "N", email: "marks@example.com", password: $given) { id } }`,
      { variables: { given } },
    );
    expect(errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["password"] }]);
  });

  test("answers a request full of combining marks, which could not be normalised in a minute", async () => {
    const marks = "\u0316\u0300".repeat(100_000);
    expect((await signIn("ada@example.com", marks)).errors).toEqual(wrongPassword);
    expect((await signIn(marks)).errors).toEqual(wrongPassword);
    await service.database.query("delete from app_private.failed_sign_ins");
  });

  test("finds the account with spaces around the email, and with its accents composed or decomposed", async () => {
    const create = `mutation Up($email: String!) { createUser(name: "A", email: $email, password: "${password}") { email } }`;
    const { data } = await service.ask(create, { variables: { email: " jose\u0301@example.com\n" } });
    expect(data).toEqual({ createUser: { email: "jos\u00e9@example.com" } });
    expect((await signIn("\tjos\u00e9@example.com ")).errors).toBeUndefined();
    expect((await signIn("jose\u0301@example.com")).errors).toBeUndefined();
    const padded = await service.ask(create, { variables: { email: `a@example.com${" ".repeat(2_000)}` } });
    expect(padded.errors?.[0]?.extensions.validationErrors[0]).toMatchObject({ path: ["email"], code: "TOO_LONG" });
    const marked = await service.ask(create, { variables: { email: `a${"\u0316\u0300".repeat(16)}@example.com` } });
    expect(marked.errors?.[0]?.extensions.validationErrors).toMatchObject([{ path: ["email"], code: "MARKS" }]);
  });

  test("accepts a password with its accents composed or decomposed", async () => {
    await service.ask(
      `mutation { createUser(name: "A", email: "accent@example.com", password: "cafe\u0301 cafe\u0301") { id } }`,
    );
    expect((await signIn("accent@example.com", "caf\u00e9 caf\u00e9")).errors).toBeUndefined();
  });

  test.each([
    ["short", "TOO_SHORT", { min: 8 }],
    ["x".repeat(201), "TOO_LONG", { max: 200 }],
  ])("reports a password of the wrong length together with the other faults", async (given, code, params) => {
    const { errors } = await service.ask(
      `mutation Up($given: String) { createUser(name: "", email: "x", password: $given) { id } }`,
      { variables: { given } },
    );
    const faults = errors?.[0]?.extensions.validationErrors;
    expect(faults.map(({ field }: { field: string }) => field)).toEqual(["name", "email", "password"]);
    expect(faults[2]).toMatchObject({ path: ["password"], code, params });
  });

  test("distinguishes passwords that differ after 72 bytes", async () => {
    const long = "x".repeat(100);
    const email = "long@example.com";
    await service.ask(`mutation { createUser(name: "L", email: "${email}", password: "${long}") { id } }`);
    expect((await signIn(email, `${long}y`)).errors).toBeDefined();
    expect((await signIn(email, long)).errors).toBeUndefined();
  });
});

describe("refreshing", () => {
  test("accepts each refresh token once; a second use after the grace ends the session", async () => {
    const { email } = await signUp();
    const first = (await signIn(email)).data.signIn;
    const second = (await refresh(first.refreshToken)).data.refreshSession;
    expect(second.refreshToken).not.toBe(first.refreshToken);
    await endGrace();
    const stolen = await refresh(first.refreshToken);
    expect(stolen.errors).toEqual(sessionOver);
    expect((await refresh(second.refreshToken)).errors).toEqual(stolen.errors);
  });

  test("gives the newest token again within the grace, for a client that lost the answer", async () => {
    const { id, email } = await signUp();
    const { refreshToken } = (await signIn(email)).data.signIn;
    const lost = (await refresh(refreshToken)).data.refreshSession;
    const again = await refresh(refreshToken);
    expect(again).toEqual({
      data: { refreshSession: { ...lost, accessToken: expect.any(String), expiresIn: expect.any(Number) } },
    });
    expect(await askWith(again.data.refreshSession.accessToken, "{ me { id } }")).toEqual({ data: { me: { id } } });
    const newest = (await refresh(lost.refreshToken)).data.refreshSession;
    expect((await refresh(refreshToken)).data.refreshSession.refreshToken).toBe(newest.refreshToken);
    await endGrace();
    expect((await refresh(newest.refreshToken)).errors).toBeUndefined();
    expect((await refresh(lost.refreshToken)).errors).toBeDefined();
  });

  test("gives concurrent uses of a token the same next token", async () => {
    const { email } = await signUp();
    const { refreshToken } = (await signIn(email)).data.signIn;
    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(refreshToken)));
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([]);
    const next = new Set(answers.map(({ data }) => data.refreshSession.refreshToken));
    expect(next.size).toBe(1);
    await endGrace();
    expect((await refresh([...next][0])).errors).toBeUndefined();
  });

  test("gives nothing within the grace once the session has ended", async () => {
    const { email } = await signUp();
    const { refreshToken } = (await signIn(email)).data.signIn;
    const { accessToken } = (await refresh(refreshToken)).data.refreshSession;
    await askWith(accessToken, "mutation { signOutEverywhere { success } }");
    expect((await refresh(refreshToken)).errors).toBeDefined();
  });

  test("stores nothing from which the next token could be computed without the token before it", async () => {
    const { email } = await signUp();
    const { refreshToken } = (await signIn(email)).data.signIn;
    await refresh(refreshToken);
    const [row] = await service.database.query<{ salt: string }>(
      `select encode(successor_salt, 'hex') as salt from app_private.refresh_tokens
        where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [refreshToken],
    );
    expect((await refresh(row?.salt ?? "")).errors).toBeDefined();
  });

  test("is refused when the token has expired or its user is banned", async () => {
    const { id, email } = await signUp();
    const one = (await signIn(email)).data.signIn.refreshToken;
    const two = (await signIn(email)).data.signIn.refreshToken;
    await service.database.query(
      "update app_private.refresh_tokens set expires_at = now() where token_hash = sha256(convert_to($1, 'UTF8'))",
      [one],
    );
    expect((await refresh(one)).errors).toBeDefined();
    await service.database.query("update app_private.accounts set banned_at = now() where user_id = $1", [id]);
    expect((await refresh(two)).errors).toBeDefined();
  });
});

describe("a session ends permanently", () => {
  test.each([
    ["with a ban, even if it is lifted", "banned_at = now()"],
    [
      "with a password that a DBA sets",
      "password_hash = app_private.password_hash('set by hand', app_hidden.gen_salt('bf', 4))",
    ],
  ])("%s", async (_when, change) => {
    const { id, email } = await signUp();
    const { refreshToken } = (await signIn(email)).data.signIn;
    await service.database.query(`update app_private.accounts set ${change} where user_id = $1`, [id]);
    await service.database.query("update app_private.accounts set banned_at = null where user_id = $1", [id]);
    expect((await refresh(refreshToken)).errors).toEqual(sessionOver);
  });

  test("when its password is changed during the sign-in", async () => {
    const { id, email } = await signUp();
    const changer = new pg.Client({ connectionString: service.database.ownerUrl });
    await changer.connect();
    await changer.query("begin");
    await changer.query(
      "update app_private.accounts set password_hash = app_private.password_hash('new', app_hidden.gen_salt('bf', 4)) where user_id = $1",
      [id],
    );
    const meanwhile = signIn(email);
    const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await until(async () => (await service.database.query(waits)).length > 0);
    await changer.query("commit");
    await changer.end();
    expect((await meanwhile).errors).toEqual(wrongPassword);
  });
});

describe("signing out", () => {
  test("ends the session of a refresh token, whatever has become of the access token", async () => {
    const { email } = await signUp();
    const one = (await signIn(email)).data.signIn;
    const other = (await signIn(email)).data.signIn;
    expect(await askWith("expired", `mutation { signOut(refreshToken: "${one.refreshToken}") { success } }`)).toEqual({
      data: { signOut: { success: true } },
    });
    expect((await refresh(one.refreshToken)).errors).toBeDefined();
    expect((await refresh(other.refreshToken)).errors).toBeUndefined();
  });

  test("everywhere ends all sessions of the caller, and no other", async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const one = (await signIn(mine.email)).data.signIn;
    const two = (await signIn(mine.email)).data.signIn;
    const theirs = (await signIn(other.email)).data.signIn;
    expect(await askWith(one.accessToken, "mutation { signOutEverywhere { success } }")).toEqual({
      data: { signOutEverywhere: { success: true } },
    });
    expect((await refresh(one.refreshToken)).errors).toBeDefined();
    expect((await refresh(two.refreshToken)).errors).toBeDefined();
    expect((await refresh(theirs.refreshToken)).errors).toBeUndefined();
    expect((await service.ask("mutation { signOutEverywhere { success } }")).errors).toEqual(
      refusedWith("You may not do this.", "NOT_SIGNED_IN"),
    );
  });
});

describe("changing the password", () => {
  const change = `mutation Change($old: String!, $new: String!) { changePassword(currentPassword: $old, newPassword: $new) { userId accessToken refreshToken } }`;

  test("requires the current one, ends every session, and begins one", async () => {
    const { id, email } = await signUp();
    const { accessToken, refreshToken } = (await signIn(email)).data.signIn;
    const wrong = await askWith(accessToken, change, { old: "wrong password", new: "another password" });
    expect(wrong.errors).toEqual(refusedWith("The current password is wrong.", "WRONG_PASSWORD"));
    const right = await askWith(accessToken, change, { old: password, new: "another password" });
    const begun = right.data.changePassword;
    expect(begun.userId).toBe(id);
    expect(await askWith(begun.accessToken, "{ me { id } }")).toEqual({ data: { me: { id } } });
    expect((await refresh(refreshToken)).errors).toBeDefined();
    expect((await refresh(begun.refreshToken)).errors).toBeUndefined();
    expect((await signIn(email)).errors).toBeDefined();
    expect((await signIn(email, "another password")).errors).toBeUndefined();
  });

  test("requires a signed-in user", async () => {
    const { errors } = await service.ask(change, { variables: { old: password, new: "another password" } });
    expect(errors).toEqual(refusedWith("You may not do this.", "NOT_SIGNED_IN"));
  });
});

test("neither a password nor a token is stored in plain text or logged", async () => {
  const { email } = await signUp();
  const { accessToken, refreshToken } = (await signIn(email)).data.signIn;
  await signIn(email, "another wrong password");
  const secrets = [password, "another wrong password", accessToken, refreshToken];
  const tables = ["accounts", "sessions", "refresh_tokens", "failed_sign_ins"];
  const stored = await Promise.all(
    tables.map((table) => service.database.query(`select t::text from app_private.${table} t`)),
  );
  const everything = JSON.stringify([stored, service.logged]);
  for (const secret of secrets) expect(everything).not.toContain(secret);
});

test("me is null for an anonymous caller", async () => {
  expect(await service.ask("{ me { id } }")).toEqual({ data: { me: null } });
});
