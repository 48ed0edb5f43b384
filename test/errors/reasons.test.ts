import { type GraphQLField, getNamedType, isLeafType, isObjectType, isRequiredArgument } from "graphql";
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

/* One rule for what one may not see (docs/errors.md): each field of Query, and each field of a record of another user's. */
const forAdmins = ["reportsConnection", "bansConnection"];
const notFound = ["post", "postBySlug", "preview", "tagByName", "chat", "comment", "node"];
const literals: Record<string, string> = { nodeId: `"${btoa('["Post","9999"]')}"`, nodeIds: "[]", limit: "1" };

function fieldsOf(typeName: string): GraphQLField<unknown, unknown>[] {
  const type = service.app.schema.getType(typeName);
  return isObjectType(type) ? Object.values(type.getFields()) : [];
}

/** The field with its required arguments, which name nothing that exists, and the first leaves below it. */
function call({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(isRequiredArgument).map((each) => `${each.name}: ${literals[each.name] ?? '"9999"'}`);
  return `${name}${given.length > 0 ? `(${given.join(", ")})` : ""}${isLeafType(getNamedType(type)) ? "" : " { __typename }"}`;
}

test("each field of Query that a user may not read says so in one way", async () => {
  for (const field of fieldsOf("Query")) {
    const { data, errors } = await service.ask(`{ ${call(field)} }`, { as: "bob" });
    const { code, reason } = errors?.[0]?.extensions ?? {};
    const expected = forAdmins.includes(field.name)
      ? ["UNAUTHORIZED", "FORBIDDEN"]
      : notFound.includes(field.name) || field.name === "user"
        ? ["NOT_FOUND", undefined]
        : [undefined, undefined];
    expect([field.name, code, reason]).toEqual([field.name, ...expected]);
    expect(data[field.name] === null).toBe(code !== undefined);
  }
});

test("each field of another user is read without an error, and is null if it is private, but for the email", async () => {
  for (const field of fieldsOf("User")) {
    const { data, errors } = await service.ask(`{ user(id: "1") { ${call(field)} } }`, { as: "bob" });
    expect([field.name, errors?.[0]?.extensions.code]).toEqual([
      field.name,
      field.name === "email" ? "UNAUTHORIZED" : undefined,
    ]);
    if (["ban", "unreadNotificationsCount"].includes(field.name)) expect(data.user[field.name]).toBeNull();
  }
});
