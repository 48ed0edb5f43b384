import { type Person, useService } from "../support/service.ts";

/* UNAUTHORIZED says whether signing in would help, whichever way the database or the service refuses. */
const service = useService();
beforeAll(() =>
  service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Public', 'Text.', 'PUBLISHED');
    insert into app_public.comments (post_id, author_id, text) values (1, 1, 'One');
    insert into app_public.chats (title) values ('Chat');
    create function app_public.keep_out() returns boolean language plpgsql volatile as $$
      begin
        perform app_hidden.refuse_unauthorized();
      end $$;
    grant execute on function app_public.keep_out() to api_anonymous, api_member`),
);
beforeAll(() => service.app.rebuild());

test.each<[string, string, Person[]]>([
  ["a function without a grant", `mutation { createPost(input: { title: "A", content: "B" }) { id } }`, ["nobody"]],
  ["a function that refuses", "mutation { keepOut }", ["nobody", "bob", "admin"]],
  ["another's row", "mutation { deleteComment(id: 1) { success } }", ["nobody", "bob"]],
  ["a hidden column", "{ user(id: 1) { name email } }", ["nobody", "bob"]],
  ["a hidden column in a list", "{ posts(limit: 1) { author { email } } }", ["nobody", "bob"]],
  ["a chat", "{ chat(id: 1) { messagesConnection(first: 1) { nodes { id } } } }", ["nobody"]],
  [
    "changing the password",
    `mutation { changePassword(currentPassword: "a", newPassword: "long enough") { userId } }`,
    ["nobody"],
  ],
])("%s", async (_what, query, refused) => {
  for (const person of refused) {
    const { errors } = await service.ask(query, { as: person });
    const reason = person === "nobody" ? "NOT_SIGNED_IN" : "FORBIDDEN";
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: "UNAUTHORIZED", reason }]);
  }
});
