import { useService } from "../support/service.ts";

/* app_private.erase_user() erases a user's data in every table. */
const service = useService({ rateLimitSignIn: 100, trustProxy: "loopback" });
const { database } = service;
const marker = "zanzibar";
const password = "long enough";

/** The tables whose rows, as text, contain the word. */
async function tablesWith(word: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind in ('r', 'm') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'",
  );
  expect(tables.length).toBeGreaterThan(20);
  const found = tables.map(async ({ name }) => {
    const rows = await database.query(`select from ${name} as t where t::text ilike '%' || $1 || '%'`, [word]);
    return rows.length > 0 ? [name] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Sends a mutation, and returns its data. */
async function act(token: string, mutation: string) {
  const response = await fetch(service.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-forwarded-for": "192.0.2.77",
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: `mutation { ${mutation} }` }),
  });
  const { data, errors } = (await response.json()) as {
    data: Record<string, { id: string; accessToken: string }> | null;
    errors?: unknown;
  };
  expect(errors).toBeUndefined();
  return Object.values(data ?? {})[0] as { id: string; accessToken: string };
}

test("no table has the user’s name, email, texts, networks or id afterwards, and other users keep theirs", async () => {
  const email = `${marker}@example.com`;
  await database.query("select conventions.audit('app_public.messages')");
  await database.query("select setval('app_public.users_id_seq', 424241)");
  const { id } = await act("", `createUser(name: "${marker}", email: "${email}", password: "${password}") { id }`);
  expect(id).toBe("424242");
  const { accessToken } = await act("", `signIn(email: "${email}", password: "${password}") { accessToken }`);
  const post = await act(
    accessToken,
    `createPost(input: { title: "${marker}", content: "${marker}", tags: ["${marker}", "shared"], status: PUBLISHED }) { id }`,
  );
  await act(accessToken, `updatePost(id: "${post.id}", input: { content: "${marker} two" }) { id }`);
  await act(accessToken, `updatePost(id: "${post.id}", input: { title: "Other", content: "Other" }) { id }`);
  const gone = await act(accessToken, `createPost(input: { title: "${marker}", content: "gone" }) { id }`);
  await act(accessToken, `deletePost(id: "${gone.id}") { success }`);
  const ada = await service.tokenOf("ada");
  const adas = await act(
    ada,
    `createPost(input: { title: "Ada’s", content: "x", tags: ["shared"], status: PUBLISHED }) { id }`,
  );
  await act(accessToken, `createComment(input: { postId: "${adas.id}", text: "${marker}" }) { id }`);
  await act(accessToken, `followUser(userId: "1") { user { id } }`);
  await act(ada, `createComment(input: { postId: "${post.id}", text: "Ada to the user" }) { id }`);
  await act(ada, `followUser(userId: "${id}") { user { id } }`);
  const chat = await act(accessToken, `createChat(memberIds: ["1"], title: "${marker}") { id }`);
  const adasChat = await act(ada, `createChat(memberIds: ["${id}"], title: "Ada’s") { id }`);
  await act(accessToken, `sendMessage(chatId: "${chat.id}", text: "${marker}") { id }`);
  await act(accessToken, `openDirectChat(userId: "1") { id }`);
  await database.query(
    "insert into app_private.failed_sign_ins (account, address) values (app_private.account_key($1), '192.0.2.77')",
    [email],
  );
  const [{ key } = { key: "" }] = await database.query<{ key: string }>("select app_private.account_key($1) as key", [
    email,
  ]);
  for (const word of [marker, id, key, "192.0.2.77"]) expect(await tablesWith(word)).not.toEqual([]);

  // Limits that still count stay.
  await database.query(
    `update app_private.rate_limited_calls set expires_at = '-infinity';
     update app_private.failed_sign_ins set failed_at = now() - interval '15 minutes 1 second'`,
  );

  expect(await database.query("select app_private.erase_user($1) as existed", [id])).toEqual([{ existed: true }]);

  for (const word of [marker, key, "192.0.2.77"]) expect([word, await tablesWith(word)]).toEqual([word, []]);
  // The keys of the audit trail's entries are numbers that lead nowhere now.
  expect(await tablesWith(id)).toEqual(["app_public.audit_trail"]);
  expect(
    await database.query("select from app_public.audit_trail where actor_id = $1 or changes::text like '%424242%'", [
      id,
    ]),
  ).toEqual([]);
  // Ada's comment has gone with the user's post.
  expect(
    await database.query(
      "select jsonb_path_exists(changes, '$.*.*') as has_values from app_public.audit_trail where action = 'DELETE' and table_name = 'comments'",
    ),
  ).toEqual([{ has_values: false }, { has_values: false }]);
  expect(
    await database.query("select text, sender_id, deleted_at is not null as is_deleted from app_public.messages"),
  ).toEqual([{ text: "[erased]", sender_id: null, is_deleted: true }]);
  expect(await database.query("select id, title from app_public.chats where not is_direct order by id")).toEqual([
    { id: chat.id, title: null },
    { id: adasChat.id, title: "Ada’s" },
  ]);
  expect(await database.query("select from app_public.posts where author_id = 1")).toHaveLength(1);
  expect(await database.query("select name from app_public.tags")).toEqual([{ name: "shared" }]);
  const kept = await database.query("select from app_public.audit_trail where changes #>> '{title,new}' = 'Ada’s'");
  expect(kept).toHaveLength(1);
});

test("deleteUser does not renew the limit of guarded mutations of its address", async () => {
  const email = "renewer@example.com";
  await act("", `createUser(name: "Renewer", email: "${email}", password: "${password}") { id }`);
  const { accessToken } = await act("", `signIn(email: "${email}", password: "${password}") { accessToken }`);
  const counted = "select points from app_private.rate_limited_calls where expires_at > now()";
  const before = await database.query(counted);
  expect(before).not.toEqual([]);
  await act(accessToken, `deleteUser(password: "${password}") { success }`);
  expect(await database.query(counted)).toEqual(before);
});

test("deleteUser does not renew the limit of wrong passwords of its network, nor that of mails", async () => {
  const email = "guesser@example.com";
  await act("", `createUser(name: "Guesser", email: "${email}", password: "${password}") { id }`);
  const { accessToken } = await act("", `signIn(email: "${email}", password: "${password}") { accessToken }`);
  await database.query(
    "insert into app_private.failed_sign_ins (account, address) select app_private.account_key($1), '192.0.2.77' from generate_series(1, 9)",
    [email],
  );
  const counted = () =>
    database.query(
      `select (select count(*)::int from app_private.failed_sign_ins where address = '192.0.2.77') as guesses,
              (select count(*)::int from app_private.mail_ledger) as mails`,
    );
  const before = await counted();
  await act(accessToken, `deleteUser(password: "${password}") { success }`);
  expect(await counted()).toEqual(before);
  expect(await database.query("select distinct account from app_private.failed_sign_ins")).toEqual([{ account: "" }]);
});

test("what a plain delete has left in the audit trail is erased as well", async () => {
  await database.query(
    "update app_public.users set bio = 'timbuktu' where id = 2; delete from app_public.users where id = 2",
  );
  expect(await tablesWith("timbuktu")).not.toEqual([]);
  expect(await database.query("select app_private.erase_user(2) as existed")).toEqual([{ existed: false }]);
  expect(await tablesWith("timbuktu")).toEqual([]);
});

test("the service’s roles cannot call it", async () => {
  const may = await database.query(
    "select from pg_roles where rolname in ('api_login', 'api_member', 'api_anonymous', 'analyst') and has_function_privilege(oid, 'app_private.erase_user(bigint)', 'execute')",
  );
  expect(may).toEqual([]);
});
