import { MailServer } from "../../tools/support/MailServer.ts";
import { useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/* The service sends the mails of the outbox to a real SMTP server. */
const server = new MailServer();
const appUrl = "https://example.com/app";
const service = useService({}, async () => {
  await server.start();
  return { mail: { smtpUrl: server.url, from: "Example <hello@example.com>", directory: "mails", appUrl } };
});
const { database } = service;
afterAll(() => server.stop());

interface Entry {
  attempts: number;
  refusal: string | null;
  isForGood: boolean;
}
const outbox = () =>
  database.query<Entry & { id: string }>(
    `select id, attempts, refusal, due_at is null as "isForGood" from app_private.mail_outbox order by id`,
  );
/** A mail as a mutation puts it into the outbox. */
const put = async (email: string, kind = "RESET_PASSWORD", name = "Ada") => {
  await database.query("update app_public.users set name = $1 where id = 1", [name]);
  await database.query(
    `with mail as (
       insert into app_private.mail_outbox (kind, user_id, email, token, expires_at)
       values ($1, 1, $2, 'abcdef0123456789', now() + interval '1 hour') returning id)
     select pg_notify('mail_outbox', '') from mail`,
    [kind, email],
  );
};
const isEmpty = () => until(async () => (await outbox()).length === 0);
const makeDue = () =>
  database.query("update app_private.mail_outbox set due_at = now() where due_at is not null; notify mail_outbox");

beforeEach(async () => {
  server.mails.length = 0;
  server.replies = {};
  service.logged.length = 0;
  await database.query("delete from app_private.mail_outbox");
});

test.each(["VERIFY_EMAIL", "CHANGE_EMAIL", "RESET_PASSWORD", "EMAIL_CHANGED"])(
  "a mail of the kind %s arrives as text and HTML",
  async (kind) => {
    await put("ada@example.com", kind, "Ada & <Co>");
    await isEmpty();
    const [mail] = server.mails;
    expect(server.mails).toHaveLength(1);
    expect(mail).toMatchObject({
      from: { name: "Example", address: "hello@example.com" },
      to: [{ address: "ada@example.com" }],
      messageId: expect.stringMatching(/^<\d+\.\d+@example\.com>$/),
      subject: expect.stringMatching(/\w/),
    });
    expect(mail?.text).toContain("Hello Ada & <Co>,");
    expect(mail?.html).toContain("Hello Ada &#38; &#60;Co&#62;,");
    const link = `${appUrl}/${kind === "RESET_PASSWORD" ? "reset-password" : "confirm-email"}#abcdef0123456789`;
    if (kind === "EMAIL_CHANGED") expect(`${mail?.text}${mail?.html}`).not.toContain("abcdef");
    else for (const part of [mail?.text, mail?.html]) expect(part).toContain(link);
  },
);

test("a request for a new password is mailed, and one for an unknown email is not", async () => {
  const request = (email: string) => service.ask(`mutation { requestPasswordReset(email: "${email}") { success } }`);
  await request("nobody@example.com");
  await request("ada@example.com");
  await isEmpty();
  expect(server.mails.map(({ envelopeTo }) => envelopeTo)).toEqual([["ada@example.com"]]);
});

test.each([
  "o'brien+tag@example.com",
  "a.b-c_d!#$%&*/=?^`{|}~@example.com",
  "„ü“ <x>@example.com",
  '"a b"@example.com',
  '"a,b"@example.com',
  "jürgen@example.com",
  "ada@bücher.example",
])("the address %s gets its own mail, or nobody does", async (email) => {
  await put(email);
  await until(async () => (await outbox()).every(({ refusal }) => refusal !== null));
  const normal = (address: string) => address.replaceAll('"', "").replace("xn--bcher-kva", "bücher");
  for (const { envelopeTo } of server.mails) expect(envelopeTo.map(normal)).toEqual([normal(email)]);
});

test.each(["Ada <eve@example.com>, Eve", "{{token}}", "=?utf-8?q?x?="])(
  "the name %j adds no header and no value",
  async (name) => {
    await put("ada@example.com", "EMAIL_CHANGED", name);
    await isEmpty();
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ subject: "Your email has changed", envelopeTo: ["ada@example.com"] });
    expect(server.mails[0]?.text).toContain(`Hello ${name},`);
    expect(server.mails[0]?.headers.map(({ key }) => key)).not.toContain("bcc");
  },
);

test.each([
  ["VERIFY_EMAIL", false, false, null],
  ["RESET_PASSWORD", false, false, null],
  ["CHANGE_EMAIL", true, true, null],
  ["RESET_PASSWORD", true, false, "You have won: https://evil.example"],
  ["EMAIL_CHANGED", true, true, "You have won: https://evil.example"],
])("a mail of %s has a name only for who has confirmed the email", async (kind, isConfirmed, isOther, name) => {
  await database.query(
    `with made as (insert into app_public.users (name) values ('You have won: https://evil.example') returning id),
          account as (insert into app_private.accounts (user_id, email, verified_at)
                      select id, 'winner' || id || '@example.com', case when $2 then now() end from made returning *)
     insert into app_private.mail_outbox (kind, user_id, email, token, expires_at, due_at)
     select $1, user_id, case when $3 then 'Other-' || email else upper(email) end, 'x', now() + interval '1 hour', now() from account`,
    [kind, isConfirmed, isOther],
  );
  expect(await database.query("select name from app_private.mails_to_show() limit 1")).toEqual([{ name }]);
  expect(await database.query("select name from app_private.claim_mail('1 minute', 1)")).toEqual([{ name }]);
  await database.query("delete from app_private.mail_outbox");
});

describe("what the mail server refuses", () => {
  test.each([
    ["the sender", "from", "451 later", false],
    ["the sender, for good", "from", "550 5.7.1 ada@example.com is unknown here", false],
    ["the recipient for now", "to", "451 4.7.1 greylisted: ada@example.com", false],
    ["the recipient", "to", "550 5.1.1 <Ada@Example.com> unknown", true],
    ["the text for now", "data", "452 full", false],
    ["the text", "data", "554 5.7.1 token abcdef0123456789 looks like spam", true],
  ] as const)(
    "%s is kept with its reason, without the address and the token",
    async (_what, step, reply, isForGood) => {
      server.replies = { [step]: () => reply };
      await put("ada@example.com");
      await until(async () => (await outbox())[0]?.refusal != null);
      const [entry] = await outbox();
      expect(entry).toMatchObject({ attempts: 1, isForGood, refusal: expect.stringContaining(reply.slice(0, 3)) });
      const told = `${entry?.refusal} ${JSON.stringify(service.logged)}`;
      expect(told).not.toMatch(/ada@example|abcdef0123456789/i);
      server.replies = {};
      await makeDue();
      if (isForGood) {
        await put("bob@example.com");
        await until(() => server.mails.length === 1);
        expect(server.mails[0]?.envelopeTo).toEqual(["bob@example.com"]);
      } else {
        await isEmpty();
        expect(server.mails).toHaveLength(1);
      }
    },
  );

  test("a server that is away is tried again, later and later, with the same Message-ID", async () => {
    await server.stop();
    await put("ada@example.com");
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await until(async () => {
        const [entry] = await outbox();
        return entry?.attempts === attempt && entry.refusal !== null;
      });
      const [row] = await database.query<{ seconds: number }>(
        "select extract(epoch from due_at - now())::float8 as seconds from app_private.mail_outbox",
      );
      pauses.push(Math.round((row?.seconds ?? 0) / 10));
      await database.query("update app_private.mail_outbox set due_at = now(), refusal = null; notify mail_outbox");
    }
    expect(pauses).toEqual([3, 6, 12]);
    await server.start();
    await makeDue();
    await until(() => server.mails.length === 1);
  });

  test("an expired mail is dropped", async () => {
    await put("ada@example.com");
    await database.query(
      "update app_private.mail_outbox set expires_at = now(), due_at = now() - interval '1 second'; notify mail_outbox",
    );
    await isEmpty();
  });
});

test("db:status names what was refused, and repairs it", async () => {
  server.replies = { to: () => "550 unknown" };
  await put("ada@example.com");
  await until(async () => (await outbox())[0]?.isForGood === true);
  const [problem] = await database.query<{ problem: string; repair: string }>(
    "select problem, repair from app_private.mail_problems()",
  );
  expect(problem?.problem).toContain("550 unknown");
  server.replies = {};
  await database.query(`${problem?.repair}; notify mail_outbox`);
  await isEmpty();
  expect(await database.query("select from app_private.mail_problems()")).toEqual([]);
});

test("a recipient for whom the server does not answer holds up no others", async () => {
  const answers = Promise.withResolvers<undefined>();
  server.replies = { to: (address) => (address.startsWith("slow") ? answers.promise : undefined) };
  for (let count = 1; count <= 5; count++) await put(`slow${count}@example.com`);
  for (let count = 1; count <= 30; count++) await put(`ada${count}@example.com`);
  await until(() => server.mails.length === 30);
  answers.resolve(undefined);
  await isEmpty();
  expect(server.mails).toHaveLength(35);
});

/** But for those that are under way: they would be due in four minutes. */
const makeOthersDue = () =>
  database.query(
    "update app_private.mail_outbox set due_at = now() where due_at < now() + interval '3 minutes'; notify mail_outbox",
  );

test("a domain for which the server does not answer holds up no others, however many mails it has", async () => {
  const answers = Promise.withResolvers<undefined>();
  server.replies = { to: (address) => (address.endsWith("@slow.example") ? answers.promise : undefined) };
  for (let count = 1; count <= 30; count++) await put(`ada${count}@${count % 2 ? "slow" : "Slow"}.example`);
  for (let count = 1; count <= 30; count++) await put(`ada${count}@example.com`);
  await until(() => server.mails.length === 30);
  server.replies = {};
  answers.resolve(undefined);
  // Some may be put off until those that hung are done.
  await until(async () => {
    await makeOthersDue();
    return (await outbox()).length === 0;
  });
  expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(60);
  expect(server.mails).toHaveLength(60);
});

test("a server that hangs at the mail that finds out whether it works again holds up no others", async () => {
  await server.stop();
  await put("ada1@example.com");
  await until(async () => (await outbox())[0]?.refusal != null);
  const answers = Promise.withResolvers<undefined>();
  server.replies = { to: (address) => (address === "ada1@example.com" ? answers.promise : undefined) };
  await server.start();
  await makeDue();
  await until(async () => (await outbox())[0]?.attempts === 2);
  for (let count = 2; count <= 20; count++) await put(`ada${count}@example.com`);
  await until(() => server.mails.length === 19);
  answers.resolve(undefined);
  await isEmpty();
  expect(server.mails).toHaveLength(20);
});

test("while the server is away, one mail finds out when it works again", async () => {
  await server.stop();
  for (let count = 1; count <= 30; count++) await put(`ada${count}@example.com`);
  await until(async () => (await outbox()).filter(({ refusal }) => refusal !== null).length >= 10);
  await server.start();
  await database.query("notify mail_outbox");
  await until(() => server.mails.length > 0);
  await makeOthersDue();
  await isEmpty();
  expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(30);
  expect(server.mails).toHaveLength(30);
});

test("a mailer of the operator's and the service send no mail twice", async () => {
  let release = () => {};
  const held = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  server.replies = { to: () => held };
  await put("ada@example.com");
  await until(async () => (await outbox())[0]?.attempts === 1);
  expect(await database.query("select * from app_private.take_mail(10)")).toEqual([]);
  release();
  await isEmpty();
  expect(server.mails).toHaveLength(1);
});
