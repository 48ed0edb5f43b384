import { beforeAll, describe, expect, test } from "@jest/globals";
import { useService } from "../support/service.ts";
import { resetContent } from "./outcome.ts";
import { type Act, ways } from "./ways.ts";

/*
 * The permissions to read (docs/decisions.md, "Identity"). Each cell is tested on the database itself, as with psql, and on
 * the API.
 */
const service = useService();
beforeAll(() => resetContent(service));

const acts: Record<string, Act> = {
  "all users": { sql: "select from app_public.users", query: "{ users { id name } }" },
  "Ada’s e-mail, in SQL": {
    sql: "select from app_public.users u where u.id = 1 and app_public.users_email(u) is not null",
  },
  "Ada’s e-mail": { query: `{ user(id: "1") { email } }` },
  "Bob’s e-mail, through his post": { query: `{ post(id: "3") { author { email } } }` },
  "where addresses are kept": { sql: "select from app_private.accounts" },
  "how many follow Bob": {
    sql: "select from app_public.users u where u.id = 2 and (app_public.users_followers(u)).count > 0",
    query: `{ user(id: "2") { followers { count } } }`,
  },
  "who I am": { sql: "select from app_public.me() as me where me.id is not null", query: "{ me { id } }" },
  "a published post": { sql: "select from app_public.posts where id = 1", query: `{ post(id: "1") { title } }` },
  "Ada’s draft, by its id": { sql: "select from app_public.posts where id = 2", query: `{ post(id: "2") { title } }` },
  "drafts, in the list": {
    sql: "select from app_public.posts where status = 'DRAFT'",
    query: "{ posts(limit: 100, status: DRAFT) { title } }",
  },
  "Ada’s drafts, through Ada": {
    sql: "select from app_public.posts where author_id = 1 and status = 'DRAFT'",
    query: `{ user(id: "1") { posts(status: DRAFT) { title } } }`,
  },
  "how many drafts there are": {
    sql: "select from app_public.posts_count('DRAFT') as n where n > 0",
    query: "{ postsCount(status: DRAFT) }",
  },
  "how many drafts Ada has": {
    sql: "select from app_public.posts where author_id = 1 and status = 'DRAFT'",
    query: `{ user(id: "1") { postsConnection(status: DRAFT) { totalCount } } }`,
  },
  "drafts in the feed": { sql: "select from app_public.feed() where status = 'DRAFT'" },
  "a published post’s tag": {
    sql: "select from app_public.tags where name = 'open'",
    query: `{ tagByName(name: "open") { id } }`,
  },
  "a draft’s tag": {
    sql: "select from app_public.tags where name = 'secret'",
    query: `{ tagByName(name: "secret") { id } }`,
  },
  "which post has a draft’s tag": {
    sql: "select from app_public.post_tags where post_id = 2",
    query: `{ tagByName(name: "secret") { posts { id } } }`,
  },
  "a comment on a published post": {
    sql: "select from app_public.comments where id = 1",
    query: `{ post(id: "1") { comments { text } } }`,
  },
  "a comment on a draft": {
    sql: "select from app_public.comments where id = 2",
    query: `{ user(id: "1") { comments { text } } }`,
  },
  "Ada’s chat": { sql: "select from app_public.chats where id = 1", query: "{ chats { title } }" },
  "the messages of Ada’s chat": { query: `{ messages(chatId: "1") { text } }` },
  "the messages of Ada’s chat, in SQL": { sql: "select from app_public.messages(1)" },
  "who is in Ada’s chat": { sql: "select from app_public.chat_members where chat_id = 1" },
  "a message of Ada’s chat": {
    sql: "select from app_public.messages where id = 1",
    query: `{ message(id: "1") { text } }`,
  },
  "the audit trail": { sql: "select from app_public.audit_trail", query: "{ auditTrail { id } }" },
};

describe.each`
  act                                     | nobody            | bob               | ada               | admin
  ${"all users"}                          | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"Ada’s e-mail, in SQL"}               | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"Ada’s e-mail"}                       | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}
  ${"Bob’s e-mail, through his post"}     | ${"UNAUTHORIZED"} | ${"done"}         | ${"UNAUTHORIZED"} | ${"done"}
  ${"where addresses are kept"}           | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"how many follow Bob"}                | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"who I am"}                           | ${"nothing"}      | ${"done"}         | ${"done"}         | ${"done"}
  ${"a published post"}                   | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"Ada’s draft, by its id"}             | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"drafts, in the list"}                | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"Ada’s drafts, through Ada"}          | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"how many drafts there are"}          | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"how many drafts Ada has"}            | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"drafts in the feed"}                 | ${"nothing"}      | ${"nothing"}      | ${"nothing"}      | ${"nothing"}
  ${"a published post’s tag"}             | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"a draft’s tag"}                      | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"which post has a draft’s tag"}       | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"a comment on a published post"}      | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"a comment on a draft"}               | ${"nothing"}      | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"Ada’s chat"}                         | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"who is in Ada’s chat"}               | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"the messages of Ada’s chat"}         | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"the messages of Ada’s chat, in SQL"} | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"a message of Ada’s chat"}            | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"the audit trail"}                    | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"nothing"}      | ${"done"}
`("$act", ({ act = "", ...outcomes }: Record<string, string>) => {
  test.each(ways(service, acts[act]))("%s, as %s", async (_way, person, see) => {
    expect(await see()).toBe(outcomes[person]);
  });
});
