import { RawSocket } from "../support/RawSocket.ts";
import { type Person, untilListening, useService } from "../support/service.ts";

/* A publication that wants a second pair of eyes: users submit posts, and who may edit any post publishes or returns them. */
const service = useService();
const { database } = service;
const sockets: RawSocket[] = [];
let id: string;

beforeAll(() => database.query("delete from app_hidden.role_rights where (role, may) = ('USER', 'PUBLISH')"));
beforeEach(async () => {
  id = (await ask(`mutation { createPost(input: { title: "Bread", content: "Flour." }) { id } }`)).data.createPost.id;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await untilListening(0, service.app);
  await database.query("delete from app_public.posts; delete from app_public.notifications");
});

async function ask(query: string, as: Person = "ada"): Promise<{ data: any; code?: string; errors?: any[] }> {
  const { data, errors } = await service.ask(query, { as });
  return { data, ...(errors && { errors, code: errors[0]?.extensions.code as string }) };
}
const update = (input: string, as?: Person) =>
  ask(`mutation { updatePost(id: ${id}, input: { ${input} }) { status reviewNote } }`, as);
const giveBack = (note?: string, as: Person = "admin") =>
  ask(`mutation { returnPost(id: ${id}${note === undefined ? "" : `, note: "${note}"`}) { status reviewNote } }`, as);
const queue = async (as: Person = "admin") =>
  (await ask("{ posts(limit: 9, status: SUBMITTED) { title } postsCount(status: SUBMITTED) }", as)).data;
const told = async (as: Person = "ada") =>
  (await ask("{ notificationsConnection { nodes { kind actor { name } post { title status } } } }", as)).data
    .notificationsConnection.nodes;

async function follow(as: Person, field: string): Promise<RawSocket> {
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  sockets.push(socket);
  socket.say({ type: "connection_init", payload: { authToken: await service.tokenOf(as as "ada") } });
  await socket.messages.next();
  socket.say({ type: "subscribe", id: "1", payload: { query: `subscription { ${field} }` } });
  return socket;
}

test("a post that its author submits is in the queue of who may edit any post, who publishes it, and the author is told", async () => {
  expect((await ask("{ me { rights } }")).data.me.rights).toEqual([]);
  expect((await update("status: SUBMITTED")).data.updatePost).toEqual({ status: "SUBMITTED", reviewNote: null });
  expect(await queue()).toEqual({ posts: [{ title: "Bread" }], postsCount: 1 });
  expect(await queue("ada")).toEqual({ posts: [{ title: "Bread" }], postsCount: 1 });
  for (const as of ["bob", "nobody"] as const) {
    expect(await queue(as)).toEqual({ posts: [], postsCount: 0 });
    expect((await ask(`{ post(id: ${id}) { title } }`, as)).data.post).toBeNull();
  }
  expect((await update("status: PUBLISHED", "admin")).data.updatePost.status).toBe("PUBLISHED");
  expect(await queue()).toEqual({ posts: [], postsCount: 0 });
  expect(await told()).toEqual([
    { kind: "POST_PUBLISHED", actor: { name: "Admin" }, post: { title: "Bread", status: "PUBLISHED" } },
  ]);
});

test("a post is returned with a note, which its author and editors read until it is submitted again", async () => {
  await update("status: SUBMITTED");
  expect((await giveBack("More salt.")).data.returnPost).toEqual({ status: "DRAFT", reviewNote: "More salt." });
  expect(await told()).toEqual([
    { kind: "POST_RETURNED", actor: { name: "Admin" }, post: { title: "Bread", status: "DRAFT" } },
  ]);
  expect((await update('content: "Flour and salt."')).data.updatePost.reviewNote).toBe("More salt.");
  expect((await update("status: SUBMITTED")).data.updatePost.reviewNote).toBeNull();
  await giveBack("Even more salt.");
  await update("status: PUBLISHED", "admin");
  for (const as of ["ada", "admin", "bob", "nobody"] as const)
    expect((await ask(`{ post(id: ${id}) { reviewNote } }`, as)).data).toEqual({ post: { reviewNote: null } });
});

test("only who may edit any post returns one, and only one that waits", async () => {
  await update("status: SUBMITTED");
  for (const as of ["ada", "bob", "nobody"] as const) expect((await giveBack("No.", as)).code).toBe("UNAUTHORIZED");
  const { errors } = await giveBack("");
  expect(errors?.[0]?.extensions).toMatchObject({
    code: "VALIDATION_ERROR",
    validationErrors: [{ path: ["note"], code: "TOO_SHORT" }],
  });
  expect((await queue()).postsCount).toBe(1);
  expect((await giveBack()).data.returnPost).toEqual({ status: "DRAFT", reviewNote: null });
  expect((await giveBack()).code).toBe("NOT_FOUND");
  expect(await told("admin")).toEqual([]);
});

test("without the right, nobody publishes: at once, later, or by changing what is published", async () => {
  const refused = async (mutation: string) => {
    const { errors } = await ask(`mutation { ${mutation} }`);
    expect(errors?.[0]?.extensions).toMatchObject({ code: "UNAUTHORIZED", reason: "MAY_NOT_PUBLISH" });
  };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  await refused('createPost(input: { title: "A", content: "B", status: PUBLISHED }) { id }');
  await refused(`updatePost(id: ${id}, input: { status: PUBLISHED }) { id }`);
  await refused(`updatePost(id: ${id}, input: { publishAt: "${tomorrow}" }) { id }`);
  await update("status: PUBLISHED", "admin");
  await refused(`updatePost(id: ${id}, input: { content: "Mine." }) { id }`);
  await refused(`updatePost(id: ${id}, input: { tags: ["mine"] }) { id }`);
  expect(
    (await ask(`mutation { saveWorkingCopy(postId: ${id}, input: { content: "Mine." }) { id } }`)).errors,
  ).toBeUndefined();
  await refused(`publishWorkingCopy(postId: ${id}) { id }`);
  expect((await ask(`mutation { publishWorkingCopy(postId: ${id}) { content } }`, "admin")).data).toEqual({
    publishWorkingCopy: { content: "Mine." },
  });
  await refused(`updatePost(id: ${id}, input: { status: DRAFT }) { id }`);
});

test("a post that an editor lets be published later does not wait any longer when it is returned", async () => {
  await update("status: SUBMITTED");
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  expect((await update(`publishAt: "${tomorrow}"`, "admin")).errors).toBeUndefined();
  await giveBack();
  expect((await ask(`{ post(id: ${id}) { publishAt } }`)).data.post.publishAt).toBeNull();
});

test("the author of a submitted post that an editor lets be published later is told at that time", async () => {
  await update("status: SUBMITTED");
  await update(`publishAt: "${new Date(Date.now() + 86_400_000).toISOString()}"`, "admin");
  expect(await told()).toEqual([]);
  await database.query(
    "update app_public.posts set publish_at = now() where set_config('session_replication_role', 'replica', true) = 'replica' and id = $1",
    [id],
  );
  await database.query("select app_hidden.publish_due_posts()");
  expect(await told()).toEqual([
    { kind: "POST_PUBLISHED", actor: null, post: { title: "Bread", status: "PUBLISHED" } },
  ]);
});

test("the queue is live: a post comes when it is submitted, and goes when it is published, returned, taken back or deleted", async () => {
  const added = await follow("admin", "postSubmitted { title }");
  const removed = await follow("admin", "postReviewed { id }");
  await untilListening(2, service.app);
  const ends = [
    () => update("status: PUBLISHED", "admin"),
    () => giveBack("No."),
    () => update("status: DRAFT"),
    () => ask(`mutation { deletePost(id: ${id}) { success } }`),
    () => ask(`mutation { deletePostPermanently(id: ${id}) { success } }`),
  ];
  const next = async ({ messages }: RawSocket) => Object.values((await messages.next()).payload.data)[0];
  for (const [index, end] of ends.entries()) {
    const post = `title: "Bread ${index}", content: "Flour.", status: ${index % 2 ? "SUBMITTED" : "DRAFT"}`;
    id = (await ask(`mutation { createPost(input: { ${post} }) { id } }`)).data.createPost.id;
    await update("status: SUBMITTED");
    expect(await next(added)).toEqual({ title: `Bread ${index}` });
    await update('content: "Rye flour."');
    expect((await end()).errors).toBeUndefined();
    expect(await next(removed)).toEqual({ id });
  }
});

test.each(["ada", "bob"] as const)("%s, who has not the right, does not follow the queue", async (as) => {
  for (const field of ["postSubmitted { title }", "postReviewed { id }"]) {
    const { type, payload } = await (await follow(as, field)).messages.next();
    expect([type, payload[0].extensions.code]).toEqual(["error", "NOT_FOUND"]);
  }
});
