import { askMeanwhile } from "../support/askMeanwhile.ts";
import { type Person, useService } from "../support/service.ts";

/* Comments are read by id, changed, replied to, counted and deleted. */
const service = useService();
const { database } = service;
let postId: string;

beforeEach(async () => {
  postId = await makePost();
});

async function makePost(status = "PUBLISHED"): Promise<string> {
  const [post] = await database.query<{ id: string }>(
    "insert into app_public.posts (author_id, title, content, status) values (1, 'Post', 'Text.', $1::app_public.post_status) returning id",
    [status],
  );
  return post?.id as string;
}

interface Comment {
  id: string;
  text: string;
  createdAt: string;
  updatedAt: string | null;
  replyTo: { id: string } | null;
}
const fields = "id text updatedAt createdAt(format: DATE_TIME) replyTo { id }";

async function comment(as: Person, text: string, { replyToId = null as string | null, post = postId } = {}) {
  const mutation = `mutation ($postId: ID!, $text: String!, $replyToId: ID) {
    createComment(input: { postId: $postId, text: $text, replyToId: $replyToId }) { ${fields} } }`;
  const { data, errors } = await service.ask(mutation, { variables: { postId: post, text, replyToId }, as });
  return { made: data?.["createComment"] as Comment, errors };
}

async function idsOf(selection: string): Promise<unknown> {
  const { data, errors } = await service.ask(`{ post(id: "${postId}") { ${selection} } }`);
  expect(errors).toBeUndefined();
  return data?.["post"];
}

const faultOf = (code: string, message: string) => [
  {
    extensions: {
      code: "VALIDATION_ERROR",
      validationErrors: [{ path: ["input", "replyToId"], field: "replyToId", code, message }],
    },
  },
];

describe("a comment", () => {
  test("is read by its id; one that is not there, or is on the draft of another, is NOT_FOUND", async () => {
    const { made } = await comment("bob", "Here");
    const draft = await makePost("DRAFT");
    const { made: hidden } = await comment("ada", "Hidden", { post: draft });
    const ask = (id: string, as: Person) => service.ask(`{ comment(id: "${id}") { text } }`, { as });
    expect(await ask(made.id, "nobody")).toEqual({ data: { comment: { text: "Here" } } });
    expect(await ask(hidden.id, "ada")).toEqual({ data: { comment: { text: "Hidden" } } });
    for (const id of [hidden.id, "999999999", "abc"]) {
      expect(await ask(id, "bob")).toMatchObject({
        data: { comment: null },
        errors: [{ extensions: { code: "NOT_FOUND" } }],
      });
    }
  });

  test("is changed by its author, and then has the time of its last change", async () => {
    const { made } = await comment("bob", "Frist");
    expect(made.updatedAt).toBeNull();
    const update = (text: string, as: Person = "bob") =>
      service.ask(`mutation ($text: String!) { updateComment(id: "${made.id}", text: $text) { ${fields} } }`, {
        variables: { text },
        as,
      });
    const { data } = await update(" First");
    const changed = data?.["updateComment"] as Comment;
    expect(changed).toEqual({ ...made, text: " First", updatedAt: expect.any(String) });
    expect(String(changed.updatedAt) > made.createdAt).toBe(true);
    // The same text is no change.
    expect((await update(" First")).data).toEqual({ updateComment: changed });
    expect((await update("")).errors).toMatchObject([
      { extensions: { validationErrors: [{ path: ["text"], code: "TOO_SHORT" }] } },
    ]);
    for (const other of ["ada", "admin"] as const) {
      expect((await update("Second", other)).errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
    }
  });

  test("keeps its time of change when the post's status changes", async () => {
    const { made } = await comment("bob", "Text");
    await database.query("update app_public.posts set status = 'DRAFT' where id = $1", [postId]);
    const { data } = await service.ask(`{ comment(id: "${made.id}") { updatedAt } }`, { as: "ada" });
    expect(data).toEqual({ comment: { updatedAt: null } });
  });
});

describe("a reply", () => {
  let id: string;
  beforeEach(async () => {
    id = (await comment("bob", "A question")).made.id;
  });

  test("is among the post's comments and among the replies of its comment, oldest first", async () => {
    const { made: first } = await comment("ada", "An answer", { replyToId: id });
    const { made: other } = await comment("admin", "Something else");
    const { made: second } = await comment("bob", "Thanks", { replyToId: id });
    expect(first.replyTo).toEqual({ id });
    expect(await idsOf("comments { id }")).toEqual({
      comments: [{ id }, { id: first.id }, { id: other.id }, { id: second.id }],
    });
    const replies = [{ id: first.id }, { id: second.id }];
    const selection =
      "id repliesCount replies: repliesConnection { nodes { id } } repliesConnection(last: 1) { totalCount nodes { id } }";
    for (const pages of [
      `comments(topLevel: true) { ${selection} }`,
      `commentsConnection(topLevel: true) { nodes { ${selection} } }`,
    ]) {
      const top = [
        {
          id,
          repliesCount: 2,
          replies: { nodes: replies },
          repliesConnection: { totalCount: 2, nodes: [{ id: second.id }] },
        },
        { id: other.id, repliesCount: 0, replies: { nodes: [] }, repliesConnection: { totalCount: 0, nodes: [] } },
      ];
      expect(await idsOf(pages)).toEqual(
        pages.startsWith("commentsC") ? { commentsConnection: { nodes: top } } : { comments: top },
      );
    }
    expect(await idsOf("comments(topLevel: false) { id }")).toEqual({ comments: replies });
  });

  test("is refused to a comment that is not there, is on another post or is hidden, without a difference", async () => {
    const { made: elsewhere } = await comment("bob", "Elsewhere", { post: await makePost() });
    const { made: hidden } = await comment("ada", "Hidden", { post: await makePost("DRAFT") });
    for (const replyToId of [elsewhere.id, hidden.id, "999999999", "abc"]) {
      const { errors } = await comment("bob", "Lost", { replyToId });
      expect(errors).toMatchObject(faultOf("INVALID_REFERENCE", "There is no such comment on this post."));
    }
  });

  test("is refused to a reply, also in SQL, together with the faults of its text", async () => {
    const { made } = await comment("ada", "An answer", { replyToId: id });
    const message = "This comment is a reply. Reply to the comment that it replies to.";
    expect((await comment("bob", "Deeper", { replyToId: made.id })).errors).toMatchObject(
      faultOf("NESTED_REPLY", message),
    );
    expect((await comment("bob", "", { replyToId: made.id })).errors).toMatchObject([
      {
        extensions: {
          validationErrors: [
            { path: ["input", "text"], code: "TOO_SHORT" },
            { path: ["input", "replyToId"], code: "NESTED_REPLY" },
          ],
        },
      },
    ]);
    const insert =
      "insert into app_public.comments (post_id, author_id, text, reply_to_id) values ($1, 2, 'Deeper', $2)";
    await expect(database.query(insert, [postId, made.id])).rejects.toMatchObject({ code: "FAULT" });
  });

  test("moves to another post with its comment, and not alone", async () => {
    const { made } = await comment("ada", "An answer", { replyToId: id });
    const postsOf = () =>
      database.query("select post_id from app_public.comments where id in ($1, $2) order by id", [id, made.id]);
    const other = await makePost();
    await database.query("update app_public.comments set post_id = $2 where id = $1", [made.id, other]);
    expect(await postsOf()).toEqual([{ post_id: postId }, { post_id: postId }]);
    await database.query("update app_public.comments set post_id = $2 where id = $1", [id, other]);
    expect(await postsOf()).toEqual([{ post_id: other }, { post_id: other }]);
    await database.query("update app_public.comments set post_id = $2 where post_id = $1", [other, postId]);
    expect(await postsOf()).toEqual([{ post_id: postId }, { post_id: postId }]);
  });

  test("is deleted with its comment", async () => {
    await comment("ada", "An answer", { replyToId: id });
    const { made: other } = await comment("ada", "Something else");
    await service.ask(`mutation { deleteComment(id: "${id}") { success } }`, { as: "bob" });
    expect(await idsOf("commentsCount comments { id }")).toEqual({ commentsCount: 1, comments: [{ id: other.id }] });
  });

  test("is as hidden as its post", async () => {
    const { made } = await comment("ada", "An answer", { replyToId: id });
    await database.query("update app_public.posts set status = 'DRAFT' where id = $1", [postId]);
    const { errors } = await service.ask(`{ comment(id: "${made.id}") { text } }`, { as: "bob" });
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
    expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
  });
});

describe("who deletes a comment", () => {
  test.each([
    ["bob", "done"],
    ["ada", "done"],
    ["admin", "done"],
    ["nobody", "UNAUTHORIZED"],
  ] as const)("%s, of Bob's on Ada's post: %s", async (as, outcome) => {
    const { made } = await comment("bob", "By Bob");
    const { errors } = await service.ask(`mutation { deleteComment(id: "${made.id}") { success } }`, { as });
    expect(errors?.[0]?.extensions.code ?? "done").toBe(outcome);
  });

  test("Bob, not one of Ada's on Ada's post", async () => {
    const { made } = await comment("ada", "By Ada");
    const { errors } = await service.ask(`mutation { deleteComment(id: "${made.id}") { success } }`, { as: "bob" });
    expect(errors).toMatchObject([{ extensions: { code: "UNAUTHORIZED" } }]);
  });
});

describe("a post that is hidden or deleted meanwhile is NOT_FOUND", () => {
  // The table is locked, so that the statement that waits for it sees what has changed after the post was looked up.
  const hide = "update app_public.posts set status = 'DRAFT' where id =";
  const changes = {
    "to comment on, hidden": `lock table app_public.comments; ${hide}`,
    "to comment on, deleted": "delete from app_public.posts where id =",
    "to report, hidden": `lock table app_public.reports; ${hide}`,
    "to report, deleted": "delete from app_public.posts where id =",
  };
  test.each(Object.entries(changes))("%s", async (what, change) => {
    const mutation = what.startsWith("to report")
      ? `reportPost(postId: "${postId}", reason: "Late.") { success }`
      : `createComment(input: { postId: "${postId}", text: "Late." }) { id }`;
    const { errors } = await askMeanwhile(service, `${change} ${postId}`, `mutation { ${mutation} }`);
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });

  test("and so is a comment to report", async () => {
    const { made } = await comment("ada", "A comment.");
    const change = `delete from app_public.comments where id = ${made.id}`;
    const mutation = `mutation { reportComment(commentId: "${made.id}", reason: "Late.") { success } }`;
    const { errors } = await askMeanwhile(service, change, mutation);
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });
});
