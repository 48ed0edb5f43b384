import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Answer {
  /** A page of docs/, and a heading of it. */
  at: string;
  says: RegExp;
  shownBy: string;
}

/*
 * What people ask, where a page answers it, the words that answer it, and the program or test that proves it.
 * A page that is moved or rewritten takes its answer along.
 */

/** Of a new developer of a client. */
const ofClients: Record<string, Answer> = {
  "How do I send my first request?": {
    at: "clients.md#A request",
    says: /curl http:\/\/127\.0\.0\.1:4000\/graphql/,
    shownBy: "test/start/start.test.ts",
  },
  "Where is the schema, for a code generator?": {
    at: "clients.md#For API clients",
    says: /schema\.graphql.*In production there is no introspection: generate from the file/s,
    shownBy: "test/snapshots/schema.test.ts",
  },
  "Does createUser sign me in?": {
    at: "sign-in.md#Signing in",
    says: /returns the `User`, without tokens: call `signIn` next/,
    shownBy: "test/identity/sessions.test.ts",
  },
  "What do I do when the access token has expired?": {
    at: "sign-in.md#Signing in",
    says: /`TOKEN_EXPIRED`\s+\(refresh the session\)/,
    shownBy: "test/clients/snippets/session.ts",
  },
  "Where do I keep the refresh token?": {
    at: "sign-in.md#Signing in",
    says: /`localStorage`.*key store/s,
    shownBy: "test/clients/snippets/session.ts",
  },
  "What runs in spite of a bad token?": {
    at: "sign-in.md#Signing in",
    says: /Only `signIn`, `createUser`, `refreshSession`.*run despite such a token/s,
    shownBy: "test/identity/tokensOverHttp.test.ts",
  },
  "Where is the token of the mail, in development?": {
    at: "sign-in.md#Accounts and moderation",
    says: /\[`\/mails`\]\(operators\.md#send-mail\) shows them with their links/,
    shownBy: "test/mail/mailPage.test.ts",
  },
  "How does a user reset a forgotten password?": {
    at: "sign-in.md#Accounts and moderation",
    says: /`requestPasswordReset\(email\)` always succeeds; `resetPassword/,
    shownBy: "test/people/accounts.test.ts",
  },
  "How do I load the next page?": {
    at: "lists.md#Lists and pages",
    says: /first: 20, after: …/,
    shownBy: "test/clients/snippets/pages.ts",
  },
  "How do I say that there are three new posts?": {
    at: "lists.md#Lists and pages",
    says: /“3 new posts”.*`feedConnection\(last: 20, before: …\)`/s,
    shownBy: "test/clients/snippets/pages.ts",
  },
  "How does a badge follow another tab or device?": {
    at: "chat.md#Subscriptions",
    says: /`user \{ unreadChatsCount \}`.*`meUpdated` sends it/s,
    shownBy: "test/messages/inbox.test.ts",
  },
  "How does a user send a picture?": {
    at: "libraries.md#Pictures",
    says: /The browser sends the file by `PUT` to `uploadUrl`/,
    shownBy: "test/clients/snippets/pictures.ts",
  },
  "How does a user take their data along?": {
    at: "libraries.md#One's own data",
    says: /Before `deleteUser`/,
    shownBy: "test/clients/snippets/myData.ts",
  },
  "How do I list an author's drafts, or the posts of a tag?": {
    at: "lists.md#Lists and pages",
    says: /filtered by `status`, `authorId` and `tag`/,
    shownBy: "test/reading/posts.test.ts",
  },
  "Is what the search highlights safe to insert?": {
    at: "lists.md#Search",
    says: /HTML that is safe to insert as it is/,
    shownBy: "test/reading/search.test.ts",
  },
  "Is content plain text, Markdown or HTML?": {
    at: "lists.md#Search",
    says: /`content` is plain text or Markdown.*never insert these as HTML/s,
    shownBy: "test/browser/example.test.ts",
  },
  "Why is createdAt a date, and how do I get its time?": {
    at: "clients.md#Timestamps",
    says: /createdAt\(format: DATE_TIME\)/,
    shownBy: "test/publishing/publishing.test.ts",
  },
  "How do I publish later, and take that back?": {
    at: "writing.md#Publishing at a time",
    says: /publishAt: null/,
    shownBy: "test/publishing/publishing.test.ts",
  },
  "What does null do in an update?": {
    at: "writing.md#Publishing at a time",
    says: /a field that is left out stays, and null clears/,
    shownBy: "test/publishing/publishing.test.ts",
  },
  "How do two editors not overwrite each other?": {
    at: "writing.md#Writing without losing changes",
    says: /ifVersion.*`CONFLICT` with `reason` `CHANGED`/s,
    shownBy: "test/publishing/publishing.test.ts",
  },
  "May I repeat a mutation whose response was lost?": {
    at: "writing.md#Writing without losing changes",
    says: /`idempotencyKey`.*returns the same record/s,
    shownBy: "test/publishing/publishing.test.ts",
  },
  "How do I show errors beside the fields of a form?": {
    at: "errors.md#Errors",
    says: /show the messages beside their fields/,
    shownBy: "test/input/badInput.test.ts",
  },
  "Is null forbidden, missing or empty?": {
    at: "errors.md#What you may not see",
    says: /A record that you may not see is `NOT_FOUND`/,
    shownBy: "test/errors/reasons.test.ts",
  },
  "Which status has a failed request?": {
    at: "errors.md#Statuses",
    says: /status 200, whatever its `errors`/,
    shownBy: "test/http/statuses.test.ts",
  },
  "What happens after too many wrong passwords?": {
    at: "errors.md#Statuses",
    says: /a sign-in after too many wrong passwords: its field is `RATE_LIMITED`, with `retryAfter`/,
    shownBy: "test/identity/sessions.test.ts",
  },
  "Why has my page's OPTIONS request status 405?": {
    at: "clients.md#GET",
    says: /`CORS_ORIGINS`.*status 405/s,
    shownBy: "test/browser/otherOrigin.test.ts",
  },
  "How do I set up Apollo Client in a browser?": {
    at: "libraries.md#With Apollo Client",
    says: /@apollo\/client/,
    shownBy: "test/clients/snippets/apollo.ts",
  },
  "How does a new comment come into my list once, although an event brings it, too?": {
    at: "libraries.md#With Apollo Client",
    says: /in each loaded\s+list once/,
    shownBy: "test/clients/snippets/apolloLists.ts",
  },
  "Which keys does urql's normalized cache need?": {
    at: "libraries.md#With urql",
    says: /InboxEntry.*SearchResult/s,
    shownBy: "test/clients/snippets/graphcache.ts",
  },
  "How does a chat go on after a lost network, without a hole?": {
    at: "libraries.md#Live chat by WebSocket",
    says: /pings \(`keepAlive`\).*sends `after` again when it reconnects/s,
    shownBy: "test/clients/snippets/chatByWebSocket.ts",
  },
};

/** As the FAQs of PostGraphile, Hasura, PostgREST, Directus and Strapi have them, for operators and DBAs. */
const ofOtherProjects: Record<string, Answer> = {
  "Which databases are supported?": {
    at: "operators.md#Before the first start",
    says: /PostgreSQL 14 to 18/,
    shownBy: ".github/workflows/ci.yml",
  },
  "Do I have to restart the service after a change of the schema?": {
    at: "../migrations/README.md#Migrations",
    says: /Running services follow\s+without a restart/,
    shownBy: "test/feature/feature.test.ts",
  },
  "How do I rename a field without a change of the database?": {
    at: "../migrations/README.md#How to change what others use",
    says: /`comment on column app_public\.posts\.summary is E'@name excerpt/,
    shownBy: "test/plugins/smartTags.test.ts",
  },
  "How do I add business logic?": {
    at: "decisions.md#Where the logic lives",
    says: /Writes are SQL functions, and their signature is the mutation/,
    shownBy: "test/feature/feature.test.ts",
  },
  "Does it have an N+1 problem?": {
    at: "decisions.md#Where the logic lives",
    says: /they compile to one statement/,
    shownBy: "test/snapshots/pages.test.ts",
  },
  "How do I roll back a migration?": {
    at: "database.md#Undo a migration",
    says: /There is no `db:down`.*`npm run db:uncommit`/s,
    shownBy: "test/review/commands.test.ts",
  },
  "How do I back up and restore?": {
    at: "database.md#Back up and restore",
    says: /npm run db:dump.*npm run db:restore/s,
    shownBy: "test/docs/database.test.ts",
  },
  "How do I find a slow query?": {
    at: "database.md#What an operation costs",
    says: /npm run db:explain.*`db:slow` lists/s,
    shownBy: "test/docs/database.test.ts",
  },
  "Does it work behind PgBouncer?": {
    at: "connections.md#PgBouncer",
    says: /`pool_mode = transaction`.*prepares statements/s,
    shownBy: "test/pooler/start.test.ts",
  },
  "Can queries go to read replicas?": {
    at: "connections.md#Read replicas",
    says: /DATABASE_REPLICA_URLS=/,
    shownBy: "test/replication/replicas.test.ts",
  },
  "How do I update without a lost request?": {
    at: "operators.md#Start and stop",
    says: /a rolling restart then loses no request/,
    shownBy: "test/operators/lifecycle.test.ts",
  },
  "Why do all clients share one rate limit?": {
    at: "operators.md#Behind a proxy",
    says: /`TRUST_PROXY`.*Without it all\s+clients share one rate limit/s,
    shownBy: "test/rateLimits/rateLimits.test.ts",
  },
  "How do I switch introspection off?": {
    at: "settings.md#HTTP",
    says: /`INTROSPECTION` \| on; in production off/,
    shownBy: "test/docs/docs.test.ts",
  },
  "How do I use Keycloak or Auth0?": {
    at: "providers.md#What to set",
    says: /Keycloak.*an audience mapper.*Auth0/s,
    shownBy: "test/identity/providers.test.ts",
  },
  "How do I delete all data of a person?": {
    at: "operators.md#Erase a user's data",
    says: /app_private\.erase_user\(42\)/,
    shownBy: "test/maintenance/eraseUser.test.ts",
  },
};
const questions = { ...ofClients, ...ofOtherProjects };

const root = new URL("../../", import.meta.url);

/** The text below a heading, up to the next one of its level. */
function sectionOf(page: string, heading: string): string {
  const text = readFileSync(new URL(`docs/${page}`, root), "utf8").replace(/^```.*?^```/gms, (code) =>
    code.replace(/^#/gm, " #"),
  );
  const [, level = "", section = ""] = new RegExp(`^(#+) ${heading}$(.*?)(?=^#|$(?![\\s\\S]))`, "ms").exec(text) ?? [];
  expect({ page, heading, isThere: level !== "" }).toEqual({ page, heading, isThere: true });
  return section;
}

test.each(Object.entries(questions))("%s", (_question, { at, says, shownBy }) => {
  const [page = "", heading = ""] = at.split("#");
  expect(sectionOf(page, heading)).toMatch(says);
  expect({ shownBy, exists: existsSync(fileURLToPath(new URL(shownBy, root))) }).toEqual({ shownBy, exists: true });
});
