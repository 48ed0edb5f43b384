import { readFileSync, writeFileSync } from "node:fs";
import { tableRows } from "@content-service/support/markdownTable.ts";
import { WebhookReceiver } from "@content-service/testing/WebhookReceiver.ts";
import pg from "pg";
import { pino } from "pino";
import { type App, type AppSettings, startApp } from "../../src/app.ts";
import { audience, OidcProvider } from "../support/OidcProvider.ts";
import { RawSocket } from "../support/RawSocket.ts";
import { type EventStream, readEvents } from "../support/readEvents.ts";
import { type Answer, people, reuseSchema, testSecret, testSettings, useService } from "../support/service.ts";
import { until } from "../support/until.ts";

/*
 * Each event that ends a right, with each credential that the right has given: what works after it, and how the rest is refused. The table
 * stands in docs/security.md; `npm run snapshots` writes it.
 */
const provider = new OidcProvider({});
const receiver = new WebhookReceiver();
const cacheSeconds = 60;
const service = useService({ webhooks: true, webhookAddresses: ["127.0.0.1"], cacheSeconds }, async (made) => {
  await made.query(readFileSync(new URL("../permissions/roles.sql", import.meta.url), "utf8"));
  await Promise.all([provider.start(), receiver.start()]);
  return { token: provider.trusted };
});
const { database } = service;
let owner: pg.Client;
const password = "correct horse battery";
const rights = ["EDIT_ANY_POST", "READ_REPORTS"];

beforeAll(async () => {
  owner = new pg.Client(database.ownerUrl);
  await owner.connect();
  database.ends.defer(() => owner.end());
  database.ends.defer(() => provider.stop());
  database.ends.defer(() => receiver[Symbol.asyncDispose]());
  const [made] = await database.query<{ secret: string }>(
    "select change_feed.webhook('ends', 'app_public.posts', '{added}', $1, 'api_anonymous') as secret",
    [receiver.url],
  );
  receiver.secret = made?.secret as string;
  await database.query(
    "insert into app_hidden.role_rights (role, may) select 'EDITOR', r::app_public.user_right from unnest($1::text[]) r on conflict do nothing",
    [rights],
  );
});

async function post(url: string, query: string, token?: string): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) })).json() as Promise<Answer>;
}
async function done(answer: Promise<Answer>): Promise<any> {
  const { data, errors } = await answer;
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}
/** `works`, or the reason or code of the refusal. */
async function outcomeOf(answer: Promise<Answer>): Promise<string> {
  const { extensions } = (await answer).errors?.[0] ?? {};
  return extensions ? String(extensions["reason"] ?? extensions["code"]) : "works";
}
const asAda = async (query: string) => done(service.ask(query, { as: "ada" }));
async function insert(sql: string, ...values: unknown[]): Promise<string> {
  return (await database.query<{ id: string }>(`${sql} returning id`, values))[0]?.id as string;
}

/** Somebody with every credential, at a service. */
interface Subject {
  url: string;
  id: string;
  email: string;
  accessToken: string;
  refreshToken: string;
  /** Undefined for an account that nobody has confirmed. */
  providerToken?: string;
  mails: Record<string, string>;
  previews: Record<string, string>;
  socket: RawSocket;
  stream: EventStream;
  chatId: string;
  otherChatId: string;
  /** Bob's. */
  draftId: string;
  commentId: string;
}

let count = 0;

/** The subscriptions, and what causes an event of each. */
const causes: Record<string, { arguments?(subject: Subject): string; cause(subject: Subject): Promise<unknown> }> = {
  messageAdded: {
    arguments: ({ chatId }) => `(chatId: "${chatId}")`,
    cause: ({ chatId }) => asAda(`mutation { sendMessage(chatId: "${chatId}", text: "Later") { id } }`),
  },
  messageUpdated: {
    arguments: ({ chatId }) => `(chatId: "${chatId}")`,
    cause: ({ chatId }) =>
      database.query("update app_public.messages set text = text || '!' where chat_id = $1", [chatId]),
  },
  chatLeft: {
    cause: ({ otherChatId, id }) =>
      database.query("delete from app_public.chat_members where chat_id = $1 and user_id = $2", [otherChatId, id]),
  },
  inboxEntryChanged: {
    cause: async ({ chatId }) => {
      await asAda(`mutation { sendMessage(chatId: "${chatId}", text: "Later still") { id } }`);
      await database.query("update app_private.inbox_changes set due_at = '-infinity'");
      await database.query("select app_hidden.record_inbox_changes()");
    },
  },
  commentAdded: {
    arguments: () => `(postId: "${postId}")`,
    cause: () => insert("insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'New')", postId),
  },
  commentUpdated: {
    arguments: () => `(postId: "${postId}")`,
    cause: ({ commentId }) =>
      database.query("update app_public.comments set text = text || '!' where id = $1", [commentId]),
  },
  commentDeleted: {
    arguments: () => `(postId: "${postId}")`,
    cause: () =>
      database.query(
        `delete from app_public.comments
          where id = (select max(id) from app_public.comments where post_id = $1 and text = 'To delete')`,
        [postId],
      ),
  },
  meUpdated: {
    cause: ({ id }) => database.query("update app_public.users set bio = coalesce(bio, '') || 'x' where id = $1", [id]),
  },
  notificationAdded: {
    cause: ({ id }) =>
      database.query(
        "insert into app_public.notifications (user_id, kind, actor_id) select id, 'FOLLOWED', 1 from app_public.users where id = $1",
        [id],
      ),
  },
  postPublished: {
    arguments: () => `(authorId: "${people.ada}")`,
    cause: () =>
      insert(
        "insert into app_public.posts (author_id, title, content, status) values (1, 'Published', 'Text.', 'PUBLISHED')",
      ),
  },
  postUpdated: {
    arguments: ({ draftId }) => `(id: "${draftId}")`,
    cause: ({ draftId }) => database.query("update app_public.posts set title = title || '!' where id = $1", [draftId]),
  },
  postSubmitted: {
    cause: () =>
      insert(
        "insert into app_public.posts (author_id, title, content, status) values (2, 'Submitted', 'Text.', 'SUBMITTED')",
      ),
  },
  postReviewed: {
    cause: () =>
      database.query("update app_public.posts set status = 'PUBLISHED' where title = 'Waits' and status = 'SUBMITTED'"),
  },
  reportUpdated: { cause: () => report() },
  reportDeleted: {
    cause: async () => database.query("delete from app_public.reports where id = $1", [await report()]),
  },
};

/** Ada's post, which all may read. */
let postId: string;
beforeAll(async () => {
  postId = await insert(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Ada’s post', 'Text.', 'PUBLISHED')",
  );
});

async function report(): Promise<string> {
  const id = await insert(
    `with written as (insert into app_public.comments (post_id, author_id, text) values (${postId}, 2, 'Rude') returning id)
     insert into app_public.reports (comment_id) select id from written`,
  );
  await database.query(
    "insert into app_public.report_reasons (report_id, reporter_id, reason) values ($1, 1, 'Rude')",
    [id],
  );
  return id;
}

test("these are the subscriptions of the schema", () => {
  const fields = service.app.schema.getSubscriptionType()?.getFields() ?? {};
  expect(Object.keys(causes).sort()).toEqual(Object.keys(fields).sort());
});

async function makeSubject(app: App, isConfirmed: boolean): Promise<Subject> {
  const url = `${app.url}/graphql`;
  const email = `subject-${++count}@example.com`;
  const up = `mutation { createUser(name: "Subject", email: "${email}", password: "${password}") { id } }`;
  const { id } = await done(post(url, up));
  await database.query("update app_public.users set role = 'EDITOR' where id = $1", [id]);
  if (isConfirmed) await database.query("update app_private.accounts set verified_at = now() where user_id = $1", [id]);
  const signIn = `mutation { signIn(email: "${email}", password: "${password}") { accessToken refreshToken } }`;
  const subject = { url, id, email, ...(await done(post(url, signIn))) } as Subject;
  if (isConfirmed) {
    provider.people[email] = { email, email_verified: true };
    subject.providerToken = await provider.tokenOf(email);
    expect((await done(post(url, "{ me { id } }", subject.providerToken))).id).toBe(id);
  }
  await database.query("delete from app_private.mail_outbox; delete from app_private.mail_ledger");
  subject.mails = {};
  for (const kind of ["VERIFY_EMAIL", "CHANGE_EMAIL", "RESET_PASSWORD", ...(isConfirmed ? ["used"] : [])]) {
    const to = kind === "CHANGE_EMAIL" ? `next-${email}` : email;
    const sent = kind === "used" ? "VERIFY_EMAIL" : kind;
    await database.query("select app_private.send_token($1, $2, $3, '1 hour')", [sent, to, id]);
    const mails = await database.query<{ token: string }>("select token from app_private.take_mail(10)");
    subject.mails[kind] = mails[0]?.token as string;
  }
  if (isConfirmed) await done(post(url, `mutation { confirmEmail(token: "${subject.mails["used"]}") { id } }`));
  await addContent(subject);
  await listen(subject, app);
  return subject;
}

async function addContent(subject: Subject): Promise<void> {
  const { url, id, accessToken } = subject;
  subject.chatId = (await asAda(`mutation { createChat(memberIds: ["${id}"]) { id } }`)).id;
  subject.otherChatId = (await asAda(`mutation { createChat(memberIds: ["${id}"]) { id } }`)).id;
  await asAda(`mutation { sendMessage(chatId: "${subject.chatId}", text: "Before") { id } }`);
  subject.draftId = await insert(
    "insert into app_public.posts (author_id, title, content) values (2, 'Bob’s draft', 'Text.')",
  );
  await insert(
    "insert into app_public.posts (author_id, title, content, status) values (2, 'Waits', 'Text.', 'SUBMITTED')",
  );
  await insert("insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'To delete')", postId);
  subject.commentId = await insert(
    "insert into app_public.comments (post_id, author_id, text) values ($1, 2, 'Comment')",
    postId,
  );
  const own = await done(
    post(url, `mutation { createPost(input: { title: "Own", content: "x" }) { id } }`, accessToken),
  );
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const preview = (postId: string) =>
    done(post(url, `mutation { createPreview(postId: "${postId}", expiresAt: "${expiresAt}") }`, accessToken));
  subject.previews = { "an own post": await preview(own.id), "another’s post": await preview(subject.draftId) };
}

/** Opens a socket with all subscriptions, and a stream. */
async function listen(subject: Subject, app: App): Promise<void> {
  const { url, accessToken, chatId } = subject;
  const before = app.subscriptions;
  subject.socket = await RawSocket.open(url, { protocol: "graphql-transport-ws" });
  subject.socket.say({ type: "connection_init", payload: { authToken: accessToken } });
  expect(await subject.socket.messages.next()).toEqual({ type: "connection_ack" });
  for (const [field, { arguments: given }] of Object.entries(causes)) {
    const query = `subscription { ${field}${given?.(subject) ?? ""} { __typename } }`;
    subject.socket.say({ type: "subscribe", id: field, payload: { query } });
  }
  subject.stream = await readEvents(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ query: `subscription { messageAdded(chatId: "${chatId}") { text } }` }),
  });
  await until(() => app.subscriptions === before + Object.keys(causes).length + 1);
}

/** A token of a mail is tried and the try undone: it would void the others. */
async function tryMail(sql: string, token: string): Promise<string> {
  await owner.query("begin");
  try {
    await owner.query(sql, [token]);
    return "works";
  } catch (error) {
    if ((error as { code?: string }).code !== "FAULT") throw error;
    return "VALIDATION_ERROR";
  } finally {
    await owner.query("rollback");
  }
}

/** What each subscription does when there is something to tell; or how the socket is closed. */
async function trySubscriptions(subject: Subject): Promise<Record<string, string>> {
  const { socket } = subject;
  const heard: Record<string, string> = {};
  const listen = async () => {
    while (Object.keys(heard).length < Object.keys(causes).length) {
      const { type, id, payload } = await socket.messages.next();
      if (type === "next") heard[id] = "works";
      else if (type === "error") heard[id] ??= payload[0].extensions.code;
      else if (type === "complete") heard[id] ??= "complete";
    }
    return undefined;
  };
  const cause = async () => {
    for (const { cause } of Object.values(causes)) await cause(subject);
  };
  const causing = cause();
  let closed = await Promise.race([socket.closed, listen()]);
  await causing;
  // Each stream finds out by itself that a user is gone, perhaps before the socket is closed.
  if (!Object.values(heard).includes("works")) closed = await socket.closed;
  if (closed === undefined) return heard;
  expect(Object.values(heard)).not.toContain("works");
  return Object.fromEntries(Object.keys(causes).map((field) => [field, String(closed)]));
}

async function tryAll(subject: Subject, url: string): Promise<Record<string, string>> {
  const { accessToken, refreshToken, providerToken, mails, previews, socket, stream } = subject;
  const me = "{ me { id } }";
  const sameUser = async (token: string) => {
    const answer = await post(url, me, token);
    return answer.data?.me && answer.data.me.id !== subject.id ? "another user" : outcomeOf(Promise.resolve(answer));
  };
  const outcomes: Record<string, string> = {
    "access token": await outcomeOf(post(url, me, accessToken)),
    "provider’s token": providerToken ? await sameUser(providerToken) : "none",
    "mail to confirm": await tryMail("select app_public.confirm_email($1)", mails["VERIFY_EMAIL"] as string),
    "mail to a new email": await tryMail("select app_public.confirm_email($1)", mails["CHANGE_EMAIL"] as string),
    "mail to reset": await tryMail(
      "select app_public.reset_password($1, 'another one')",
      mails["RESET_PASSWORD"] as string,
    ),
    "mail that has confirmed": mails["used"]
      ? await tryMail("select app_public.confirm_email($1)", mails["used"])
      : "none",
  };
  const refresh = `mutation { refreshSession(refreshToken: "${refreshToken}") { userId } }`;
  outcomes["refresh token"] = await outcomeOf(post(url, refresh));
  for (const [whose, token] of Object.entries(previews)) {
    outcomes[`preview link to ${whose}`] = await outcomeOf(post(url, `{ preview(token: "${token}") { title } }`));
  }
  for (const [field, outcome] of Object.entries(await trySubscriptions(subject)))
    outcomes[`subscription ${field}`] = outcome;
  outcomes["WebSocket"] = await trySocket(socket);
  outcomes["event stream"] = await tryStream(stream);
  outcomes["webhook"] = await tryWebhook();
  const cached = await fetch(`${url}?query=${encodeURIComponent(me)}`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  outcomes["cached response"] = /public/.test(cached.headers.get("cache-control") ?? "") ? "works" : "never kept";
  return outcomes;
}

async function trySocket(socket: RawSocket): Promise<string> {
  const answers = async () => {
    socket.say({ type: "subscribe", id: "me", payload: { query: "{ me { id } }" } });
    for (;;) {
      const { type, id, payload } = await socket.messages.next();
      if (id === "me") return type === "next" ? "works" : payload[0].extensions.reason;
    }
  };
  return String(await Promise.race([socket.closed, answers()]));
}

async function tryStream(stream: EventStream): Promise<string> {
  const last = async () => {
    for (;;) {
      const event = await stream.events.next();
      const [{ extensions } = { extensions: undefined }] = event.startsWith("next")
        ? (JSON.parse(event.slice(5)).errors ?? [{}])
        : [{}];
      if (extensions) return extensions.code;
      if (event.startsWith("next")) return "works";
    }
  };
  return Promise.race([last(), stream.ended.then(() => last())]);
}

async function tryWebhook(): Promise<string> {
  const id = await insert(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Hooked', 'x', 'PUBLISHED')",
  );
  await until(() => receiver.messages.some(({ data }) => data.id === id));
  return "works";
}

const asAdmin = async (query: string) => done(service.ask(query, { as: "admin" }));

/** Restarts the service of a subject with other settings. @returns where it is then */
async function restart(app: App, token: AppSettings["token"]): Promise<App> {
  await app.close();
  return start(token);
}
const start = (token: AppSettings["token"]) =>
  startApp(
    { ...testSettings, apiDatabaseUrl: database.apiUrl, reuseSchema, cacheSeconds, token },
    pino({ level: "silent" }),
  );
const issuers = () => [{ issuer: provider.issuer, audience }];

interface Event {
  isUnconfirmed?: boolean;
  /** Whether the subject is at a service of its own. */
  isRestart?: boolean;
  happen(subject: Subject, app: App): Promise<App | undefined>;
}
const nothing = async (work: Promise<unknown>) => {
  await work;
  return undefined;
};
const events: Record<string, Event> = {
  "new password": {
    happen: ({ url, accessToken }) =>
      nothing(
        done(
          post(
            url,
            `mutation { changePassword(currentPassword: "${password}", newPassword: "another one") { userId } }`,
            accessToken,
          ),
        ),
      ),
  },
  reset: {
    happen: async ({ url, id, email }) => {
      await database.query("select app_private.send_token('RESET_PASSWORD', $1, $2, '1 hour')", [email, id]);
      const [mail] = await database.query<{ token: string }>("select token from app_private.take_mail(10)");
      return nothing(
        done(post(url, `mutation { resetPassword(token: "${mail?.token}", newPassword: "another one") { userId } }`)),
      );
    },
  },
  "sign-out everywhere": {
    happen: ({ url, accessToken }) =>
      nothing(done(post(url, "mutation { signOutEverywhere { success } }", accessToken))),
  },
  ban: { happen: ({ id }) => nothing(asAdmin(`mutation { banUser(userId: "${id}", reason: "Spam") { id } }`)) },
  "role lost": { happen: ({ id }) => nothing(asAdmin(`mutation { setUserRole(userId: "${id}", role: USER) { id } }`)) },
  "right taken from the role": {
    happen: () =>
      nothing(
        database.query("delete from app_hidden.role_rights where role = 'EDITOR' and may::text = any ($1)", [rights]),
      ),
  },
  "provider unlinked": {
    happen: ({ id }) => nothing(database.query("delete from app_private.identities where user_id = $1", [id])),
  },
  "new email": {
    happen: async ({ url, email, accessToken }) => {
      await database.query("delete from app_private.mail_ledger");
      const request = `mutation { requestEmailChange(email: "new-${email}", password: "${password}") { id } }`;
      await done(post(url, request, accessToken));
      const [mail] = await database.query<{ token: string }>("select token from app_private.take_mail(10)");
      return nothing(done(post(url, `mutation { confirmEmail(token: "${mail?.token}") { id } }`)));
    },
  },
  "email shown to be another’s": {
    isUnconfirmed: true,
    happen: async ({ url, email }) => {
      provider.people[`owner of ${email}`] = { email, email_verified: true };
      return nothing(done(post(url, "{ me { id } }", await provider.tokenOf(`owner of ${email}`))));
    },
  },
  "account erased": {
    happen: ({ url, accessToken }) =>
      nothing(done(post(url, `mutation { deleteUser(password: "${password}") { success } }`, accessToken))),
  },
  "new JWT_SECRET": {
    isRestart: true,
    happen: (_subject, app) => restart(app, { secret: `another ${testSecret}`, issuers: issuers() }),
  },
  "issuer removed": { isRestart: true, happen: (_subject, app) => restart(app, { secret: testSecret }) },
};

const seen: Record<string, Record<string, string>> = {};

test.each(Object.keys(events))("%s ends what docs/security.md says, and nothing else", async (name) => {
  const { isUnconfirmed = false, isRestart = false, happen } = events[name] as Event;
  const app = isRestart ? await start({ secret: testSecret, issuers: issuers() }) : service.app;
  const subject = await makeSubject(app, !isUnconfirmed);
  const next = await happen(subject, app);
  try {
    seen[name] = await tryAll(subject, next ? `${next.url}/graphql` : subject.url);
  } finally {
    await next?.close();
    subject.socket.destroy();
    subject.stream.close();
    await database.query(
      "insert into app_hidden.role_rights (role, may) select 'EDITOR', r::app_public.user_right from unnest($1::text[]) r on conflict do nothing",
      [rights],
    );
  }
  if (process.env["WRITE_SNAPSHOTS"] !== "1") expect(seen[name]).toEqual(listed()[name]);
});

/* The page. Subscriptions with the same outcomes share a row. */
const page = new URL("../../docs/security.md", import.meta.url);
const [begin, end] = ["<!-- generated: test/identity/whatEnds.test.ts -->\n", "<!-- /generated -->\n"];

function generatedPart(): string {
  const text = readFileSync(page, "utf8");
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
}

/** The outcomes of the page, by event and credential. */
function listed(): Record<string, Record<string, string>> {
  const [head = [], , ...rows] = tableRows(generatedPart());
  const byEvent = head.slice(1).map((event, index) => {
    const cells = rows.flatMap(([credential = "", ...outcomes]) => {
      const [, fields] = /^subscriptions? (.*)$/.exec(credential) ?? [];
      const names = fields ? fields.split(", ").map((field) => `subscription ${field}`) : [credential];
      return names.map((each) => [each, outcomes[index] || "works"]);
    });
    return [event, Object.fromEntries(cells)];
  });
  return Object.fromEntries(byEvent);
}

function table(): string {
  const names = Object.keys(events);
  const credentials = Object.keys(seen[names[0] as string] ?? {});
  const outcomes = (credential: string) =>
    names.map((name) => seen[name]?.[credential]).map((one) => (one === "works" ? "" : one));
  const groups = Map.groupBy(credentials, (credential) =>
    credential.startsWith("subscription ") ? JSON.stringify(outcomes(credential)) : credential,
  );
  const rows = [...groups.values()].map((members) => {
    const fields = members.map((member) => member.replace("subscription ", ""));
    const [first = ""] = members;
    const label = first.startsWith("subscription ") ? `subscriptions ${fields.join(", ")}` : first;
    return [label, ...outcomes(first)];
  });
  return [["credential", ...names], ["---", ...names.map(() => "---")], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("");
}

test("docs/security.md has these events, and no others", () => {
  if (process.env["WRITE_SNAPSHOTS"] === "1") {
    const text = readFileSync(page, "utf8");
    writeFileSync(
      page,
      text.replace(generatedPart(), () => table()),
    );
  }
  expect(Object.keys(listed())).toEqual(Object.keys(events));
});
