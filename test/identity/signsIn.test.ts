import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { type Account, password, send, signUp } from "../people/account.ts";
import { useService } from "../support/service.ts";

/* A mutation that signs somebody in reads its result as that user, in its transaction. */
const service = useService({}, async (database) => {
  await database.query(`create function app_public.users_broken(users app_public.users) returns int language plpgsql stable as $$
    begin raise 'It is broken'; end $$;
    grant execute on function app_public.users_broken(app_public.users) to public`);
  return {};
});
const { database } = service;
const schema = buildSchema(readFileSync("schema.graphql", "utf8"));
const fieldsOf = (name: string) => Object.values((schema.getType(name) as GraphQLObjectType).getFields());

/** Each field of a user, with the leaves of its rows. */
const selections = fieldsOf("User")
  .filter(({ args }) => !args.some(isRequiredArgument))
  .map(({ name, args, type }) => {
    const page = args.find((one) => one.name === "first" || one.name === "limit");
    return `${name}${page ? `(${page.name}: 5)` : ""}${leavesOf(getNamedType(type).name)}`;
  });

function leavesOf(name: string): string {
  const type = schema.getType(name);
  if (isLeafType(type)) return "";
  const nodes = isObjectType(type) ? type.getFields()["nodes"] : undefined;
  if (nodes) return ` { nodes${leavesOf(getNamedType(nodes.type).name)} }`;
  return ` { ${fieldsOf(name)
    .filter((field) => isLeafType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
    .map((field) => field.name)
    .join(" ")} }`;
}

const sessions = async (id: string) =>
  (await database.query("select from app_private.sessions where user_id = $1 and revoked_at is null", [id])).length;
const tokenOf = async (email: string) =>
  (
    await database.query<{ email: string; token: string }>("select email, token from app_private.take_mail(100)")
  ).findLast((mail) => mail.email === email)?.token;
const resetToken = async (email: string) => {
  await send(service, `mutation { requestPasswordReset(email: "${email}") { success } }`);
  return tokenOf(email);
};

/** Someone with a chat, a draft and an unread message. */
async function makeUser(): Promise<Account> {
  const user = await signUp(service);
  await database.query("update app_private.accounts set verified_at = now() where user_id = $1", [user.id]);
  const chat = await service.ask(`mutation { createChat(memberIds: ["${user.id}"]) { id } }`, { as: "ada" });
  const say = `mutation { sendMessage(chatId: "${chat.data.createChat.id}", text: "Hello") { id } }`;
  expect((await service.ask(say, { as: "ada" })).errors).toBeUndefined();
  const draft = `mutation { createPost(input: { title: "Mine", content: "Alone", tags: ["news"], status: DRAFT }) { id } }`;
  expect((await send(service, draft, user.accessToken)).errors).toBeUndefined();
  return user;
}

describe("a session’s user", () => {
  test.each(selections)("is read as by me: %s", async (selection) => {
    user ??= await makeUser();
    const { refreshToken } = user;
    const result = await send(
      service,
      `mutation { refreshSession(refreshToken: "${refreshToken}") { refreshToken accessToken user { ${selection} } } }`,
    );
    expect(result.errors).toBeUndefined();
    const { accessToken, refreshToken: next, user: found } = result.data.refreshSession;
    user = { ...user, refreshToken: next };
    expect(found).toEqual((await send(service, `{ me { ${selection} } }`, accessToken)).data.me);
  });
  let user: Account | undefined;
});

const own = "email isEmailConfirmed unreadChatsCount inboxConnection(first: 3) { nodes { chatId } }";

/** Each mutation that changes who calls, with its result's way to the user. */
const mutations: [name: string, call: (user: Account) => Promise<string>, isSession: boolean][] = [
  ["signIn", async ({ email }) => `signIn(email: "${email}", password: "${password}")`, true],
  ["refreshSession", async ({ refreshToken }) => `refreshSession(refreshToken: "${refreshToken}")`, true],
  [
    "changePassword",
    async () => `changePassword(currentPassword: "${password}", newPassword: "another password")`,
    true,
  ],
  [
    "resetPassword",
    async ({ email }) => `resetPassword(token: "${await resetToken(email)}", newPassword: "another password")`,
    true,
  ],
  ["confirmEmail", async ({ email }) => `confirmEmail(token: "${await tokenOf(email)}")`, false],
];

test("these are the mutations that return a session, and confirmEmail", () => {
  const returning = fieldsOf("Mutation").filter(({ type }) => getNamedType(type).name === "Session");
  expect(mutations.map(([name]) => name).sort()).toEqual([...returning.map(({ name }) => name), "confirmEmail"].sort());
});

describe.each(mutations)("%s", (name, call, isSession) => {
  const tokenFor = ({ accessToken }: Account) => (name === "changePassword" ? accessToken : undefined);
  const selecting = (selection: string) => `{ ${isSession ? `userId user { ${selection} }` : `id ${selection}`} }`;

  test("reads its result as the user", async () => {
    const user = await makeUser();
    const { data, errors } = await send(
      service,
      `mutation { done: ${await call(user)} ${selecting(own)} }`,
      tokenFor(user),
    );
    expect(errors).toBeUndefined();
    const found = isSession ? data.done.user : data.done;
    expect(found).toMatchObject({ email: user.email, isEmailConfirmed: expect.any(Boolean), unreadChatsCount: 1 });
    expect(found.inboxConnection.nodes).toHaveLength(1);
  });

  test("is undone when its result cannot be read", async () => {
    const user = await makeUser();
    const called = await call(user);
    const before = await sessions(user.id);
    const failed = await send(service, `mutation { done: ${called} ${selecting("broken")} }`, tokenFor(user));
    expect(failed.errors).toHaveLength(1);
    expect(failed.data.done).toBeNull();
    expect(await sessions(user.id)).toBe(before);
    expect((await send(service, `mutation { ${called} ${selecting(own)} }`, tokenFor(user))).errors).toBeUndefined();
  });
});

test("a token of a mail that was used confirms again, and shows nothing private but the email", async () => {
  const { email } = await makeUser();
  const confirm = `mutation { confirmEmail(token: "${await tokenOf(email)}") { name email isEmailConfirmed unreadChatsCount } }`;
  expect((await send(service, confirm)).data.confirmEmail).toMatchObject({ isEmailConfirmed: true });
  const again = await send(service, confirm);
  expect(again.errors).toBeUndefined();
  expect(again.data.confirmEmail).toEqual({ name: "P", email, isEmailConfirmed: true, unreadChatsCount: null });
});

test("each root field is read as the user whom it signs in, and the next one as the caller", async () => {
  const [one, two] = [await makeUser(), await makeUser()];
  const query = `mutation {
    a: signIn(email: "${one.email}", password: "${password}") { user { email } }
    wrong: signIn(email: "${one.email}", password: "no password") { userId }
    b: refreshSession(refreshToken: "${two.refreshToken}") { user { email } }
    createPost(input: { title: "No", content: "No", tags: [] }) { id }
  }`;
  const { data, errors } = await send(service, query);
  expect(data).toEqual({
    a: { user: { email: one.email } },
    wrong: null,
    b: { user: { email: two.email } },
    createPost: null,
  });
  expect(errors?.map(({ path, extensions }) => [path?.join("."), extensions.reason])).toEqual([
    ["wrong", "WRONG_PASSWORD"],
    ["createPost", "NOT_SIGNED_IN"],
  ]);
  const counted = await database.query(
    "select from app_private.failed_sign_ins where account = app_private.account_key($1)",
    [one.email],
  );
  expect(counted).toHaveLength(1);
});
