import { beforeAll, describe, expect, test } from "@jest/globals";
import { useService } from "../support/service.ts";
import { resetContent } from "./outcome.ts";
import { type Act, ways } from "./ways.ts";

/*
 * The permissions to write (docs/decisions.md, "Identity"). Each cell is tested on the database itself, as with psql, and on
 * the API where it has such a field.
 */
const service = useService();
beforeAll(() => resetContent(service));

const acts: Record<string, Act> = {
  "sign somebody up": {
    sql: "select from app_public.create_user('Eve', 'eve@example.com', 'long enough')",
    query: `mutation { createUser(name: "Eve", email: "eve@example.com") { id } }`,
  },
  "sign in as Carol": {
    sql: "select from app_public.sign_in('carol@example.com', 'carol’s password') as s where s.user_id = 5",
    query: `mutation { signIn(email: "carol@example.com", password: "carol’s password") { userId } }`,
  },
  "sign out everywhere": { sql: "select from app_public.sign_out()", query: `mutation { signOut }` },
  "set a first password": {
    sql: "select from app_public.change_password('', 'long enough')",
    query: `mutation { changePassword(currentPassword: "", newPassword: "long enough") { id } }`,
  },
  "write to the users": { sql: "insert into app_public.users (name) values ('Eve')" },
  "become an admin": { sql: "update app_public.users set role = 'ADMIN' where id = 2" },
  "ban somebody": { sql: "update app_private.accounts set banned_at = now()" },
  "remove a user": { sql: "delete from app_public.users where id = 2" },
  "follow Carol": { sql: "select from app_public.follow_user(5)", query: `mutation { followUser(id: "5") { id } }` },
  "follow nobody there is": {
    sql: "select from app_public.follow_user(99)",
    query: `mutation { followUser(id: "99") { id } }`,
  },
  "make Bob follow Carol": { sql: "insert into app_public.follows (follower_id, followed_id) values (2, 5)" },
  "end Ada’s following": { sql: "delete from app_public.follows where follower_id = 1" },
  "stop following Bob": {
    sql: "select from app_public.unfollow_user(2)",
    query: `mutation { unfollowUser(id: "2") { id } }`,
  },
  "write a post": {
    sql: "select from app_public.create_post(row('Title', 'Text.', null, null, null))",
    query: `mutation { createPost(input: {title: "Title", content: "Text."}) { id } }`,
  },
  "write a post in Ada’s name": {
    sql: "insert into app_public.posts (author_id, title, content) values (1, 'Title', 'Text.')",
  },
  "choose a slug": {
    sql: "insert into app_public.posts (author_id, title, content, slug) values (app_hidden.viewer_id(), 'Title', 'Text.', 'mine')",
  },
  "choose the time of publication": { sql: "update app_public.posts set published_at = '2000-01-01' where id = 1" },
  "give a post to somebody else": { sql: "update app_public.posts set author_id = 2 where id = 1" },
  "update Ada’s published post": {
    sql: "select from app_public.update_post(1, row('New', null, null, null, null))",
    query: `mutation { updatePost(id: "1", input: {title: "New"}) { id } }`,
  },
  "update Ada’s draft": {
    sql: "select from app_public.update_post(2, row('New', null, null, null, null))",
    query: `mutation { updatePost(id: "2", input: {title: "New"}) { id } }`,
  },
  "update a missing post": {
    sql: "select from app_public.update_post(99, row('New', null, null, null, null))",
    query: `mutation { updatePost(id: "99", input: {title: "New"}) { id } }`,
  },
  "publish Ada’s draft": {
    sql: "select from app_public.update_post(2, row(null, null, null, null, 'PUBLISHED'))",
    query: `mutation { updatePost(id: "2", input: {status: PUBLISHED}) { id } }`,
  },
  "update Ada’s post’s row": { sql: "update app_public.posts set title = 'New' where id = 1" },
  "delete Ada’s published post": {
    sql: "select from app_public.delete_post(1)",
    query: `mutation { deletePost(id: "1") { success } }`,
  },
  "delete Ada’s draft": {
    sql: "select from app_public.delete_post(2)",
    query: `mutation { deletePost(id: "2") { success } }`,
  },
  "delete a missing post": {
    sql: "select from app_public.delete_post(99)",
    query: `mutation { deletePost(id: "99") { success } }`,
  },
  "delete Ada’s post’s row": { sql: "delete from app_public.posts where id = 1" },
  "empty the posts": { sql: "truncate app_public.posts cascade" },
  "tag Ada’s post": { sql: "select from app_hidden.set_post_tags(1, array['mine'])" },
  "write to the tags": { sql: "insert into app_public.tags (name) values ('mine')" },
  "write to the posts’ tags": { sql: "delete from app_public.post_tags" },
  "comment on a published post": {
    sql: "select from app_public.create_comment(1, 'Hm.')",
    query: `mutation { createComment(postId: "1", text: "Hm.") { id } }`,
  },
  "comment on Ada’s draft": {
    sql: "select from app_public.create_comment(2, 'Hm.')",
    query: `mutation { createComment(postId: "2", text: "Hm.") { id } }`,
  },
  "comment in Ada’s name": { sql: "insert into app_public.comments (post_id, author_id, text) values (1, 1, 'Hm.')" },
  "change what Bob has said": { sql: "update app_public.comments set text = 'Well.' where id = 1" },
  "delete Bob’s comment": {
    sql: "select from app_public.delete_comment(1)",
    query: `mutation { deleteComment(id: "1") { success } }`,
  },
  "delete the comment on Ada’s draft": {
    sql: "select from app_public.delete_comment(2)",
    query: `mutation { deleteComment(id: "2") { success } }`,
  },
  "open a chat with Carol": {
    sql: "select from app_public.create_chat(array[5])",
    query: `mutation { createChat(memberIds: ["5"]) { id } }`,
  },
  "let Bob into Ada’s chat": {
    sql: "select from app_public.add_chat_member(1, 2)",
    query: `mutation { addChatMember(chatId: "1", userId: "2") { id } }`,
  },
  "leave Ada’s chat": {
    sql: "select from app_public.leave_chat(1)",
    query: `mutation { leaveChat(chatId: "1") { success } }`,
  },
  "say something in Ada’s chat": {
    sql: "select from app_public.send_message(1, 'Hm.')",
    query: `mutation { sendMessage(chatId: "1", text: "Hm.") { id } }`,
  },
  "say something in a chat that is not there": {
    sql: "select from app_public.send_message(99, 'Hm.')",
    query: `mutation { sendMessage(chatId: "99", text: "Hm.") { id } }`,
  },
  "write into Ada’s chat, as oneself": {
    sql: "insert into app_public.messages (chat_id, sender_id, text) values (1, app_hidden.viewer_id(), 'Hm.')",
  },
  "write into Ada’s chat, as Carol": {
    sql: "insert into app_public.messages (chat_id, sender_id, text) values (1, 5, 'Hm.')",
  },
  "change a message": { sql: "update app_public.messages set text = 'Hm.'" },
  "let oneself into Ada’s chat": {
    sql: "insert into app_public.chat_members (chat_id, user_id) values (1, app_hidden.viewer_id())",
  },
  "rename Ada’s chat": { sql: "update app_public.chats set title = 'Mine'" },
  "rewrite the audit trail": { sql: "delete from app_public.audit_trail" },
  "check a password past the throttle": { sql: "select from app_private.check_password('carol@example.com', 'x')" },
};

describe.each`
  act                                            | nobody            | bob               | ada               | admin
  ${"sign somebody up"}                          | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"sign in as Carol"}                          | ${"done"}         | ${"done"}         | ${"done"}         | ${"done"}
  ${"sign out everywhere"}                       | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"set a first password"}                      | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"write to the users"}                        | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"become an admin"}                           | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"ban somebody"}                              | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"remove a user"}                             | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"follow Carol"}                              | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"follow nobody there is"}                    | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"NOT_FOUND"}    | ${"NOT_FOUND"}
  ${"make Bob follow Carol"}                     | ${"UNAUTHORIZED"} | ${"done"}         | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"end Ada’s following"}                       | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"nothing"}
  ${"stop following Bob"}                        | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"write a post"}                              | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"write a post in Ada’s name"}                | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"UNAUTHORIZED"}
  ${"choose a slug"}                             | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"choose the time of publication"}            | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"give a post to somebody else"}              | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"update Ada’s published post"}               | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}
  ${"update Ada’s draft"}                        | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"update a missing post"}                     | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"NOT_FOUND"}    | ${"NOT_FOUND"}
  ${"publish Ada’s draft"}                       | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"update Ada’s post’s row"}                   | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"delete Ada’s published post"}               | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}
  ${"delete Ada’s draft"}                        | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"delete a missing post"}                     | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"NOT_FOUND"}    | ${"NOT_FOUND"}
  ${"delete Ada’s post’s row"}                   | ${"UNAUTHORIZED"} | ${"nothing"}      | ${"done"}         | ${"done"}
  ${"empty the posts"}                           | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"tag Ada’s post"}                            | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}
  ${"write to the tags"}                         | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"write to the posts’ tags"}                  | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"comment on a published post"}               | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"comment on Ada’s draft"}                    | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"comment in Ada’s name"}                     | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"UNAUTHORIZED"}
  ${"change what Bob has said"}                  | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"delete Bob’s comment"}                      | ${"UNAUTHORIZED"} | ${"done"}         | ${"UNAUTHORIZED"} | ${"done"}
  ${"delete the comment on Ada’s draft"}         | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"open a chat with Carol"}                    | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}         | ${"done"}
  ${"let Bob into Ada’s chat"}                   | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"leave Ada’s chat"}                          | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"NOT_FOUND"}
  ${"say something in Ada’s chat"}               | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"done"}         | ${"done"}
  ${"say something in a chat that is not there"} | ${"UNAUTHORIZED"} | ${"NOT_FOUND"}    | ${"NOT_FOUND"}    | ${"NOT_FOUND"}
  ${"write into Ada’s chat, as oneself"}         | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"done"}         | ${"done"}
  ${"write into Ada’s chat, as Carol"}           | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"change a message"}                          | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"let oneself into Ada’s chat"}               | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"rename Ada’s chat"}                         | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"rewrite the audit trail"}                   | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
  ${"check a password past the throttle"}        | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"} | ${"UNAUTHORIZED"}
`("$act", ({ act = "", ...outcomes }: Record<string, string>) => {
  test.each(ways(service, acts[act]))("%s, as %s", async (way, person, see) => {
    const seen = await see();
    if (seen === "done" && way === "through the API") await resetContent(service);
    expect(seen).toBe(outcomes[person]);
  });
});
