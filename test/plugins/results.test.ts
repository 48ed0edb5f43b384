import { type GraphQLField, isObjectType, isScalarType } from "graphql";
import { useService } from "../support/service.ts";

/* Results that caches and types can rely on: which record was deleted, and what is always there. */
const service = useService();

beforeAll(() =>
  service.database.query(`
    insert into app_public.posts (author_id, title, content, status) values (1, 'Public', 'World.', 'PUBLISHED');
    insert into app_public.comments (post_id, author_id, text) values (1, 2, 'Hello'), (1, 1, 'Bye');
    insert into app_public.chats (title) values ('Of two');
    insert into app_public.chat_members (chat_id, user_id) values (1, 1), (1, 2)`),
);

test("a deletion names the deleted record by both of its ids", async () => {
  const { data: before } = await service.ask(`{ post(id: 1) { nodeId comments { nodeId } } }`);
  const { post } = before as { post: { nodeId: string; comments: { nodeId: string }[] } };
  const ofComment = await service.ask(
    `mutation { deleteComment(id: 1) { success id deletedNodeId message post { id commentsCount } } }`,
    {
      as: "bob",
    },
  );
  expect(ofComment.data).toEqual({
    deleteComment: {
      success: true,
      id: "1",
      deletedNodeId: post.comments[0]?.nodeId,
      message: "Comment 1 is deleted.",
      post: { id: "1", commentsCount: 1 },
    },
  });
  const ofPost = await service.ask(`mutation { deletePost(id: 1) { id deletedNodeId post { id } } }`, { as: "ada" });
  expect(ofPost.data).toEqual({ deletePost: { id: "1", deletedNodeId: post.nodeId, post: null } });
});

test("who leaves a chat removes it from a cache", async () => {
  const { data, errors } = await service.ask(`mutation { leaveChat(chatId: 1) { id deletedNodeId } }`, { as: "bob" });
  const nodeId = Buffer.from('["Chat","1"]').toString("base64");
  expect([data, errors]).toEqual([{ leaveChat: { id: "1", deletedNodeId: nodeId } }, undefined]);
});

test.each`
  field                              | type
  ${"DeleteResult.success"}          | ${"Boolean!"}
  ${"DeleteResult.message"}          | ${"String!"}
  ${"DeleteResult.id"}               | ${"ID!"}
  ${"DeleteResult.deletedNodeId"}    | ${"ID"}
  ${"Post.author"}                   | ${"User!"}
  ${"Comment.author"}                | ${"User!"}
  ${"Comment.post"}                  | ${"Post!"}
  ${"Message.chat"}                  | ${"Chat!"}
  ${"InboxEntry.chat"}               | ${"Chat!"}
  ${"PostRevision.post"}             | ${"Post!"}
  ${"PostRevision.tags"}             | ${"[String!]!"}
  ${"PostEdge.cursor"}               | ${"Cursor!"}
  ${"Message.sender"}                | ${"User"}
  ${"User.followers"}                | ${"FollowSummary!"}
  ${"FollowSummary.count"}           | ${"Int!"}
  ${"PostConnection.totalCount"}     | ${"Int!"}
  ${"Session.user"}                  | ${"User!"}
  ${"Session.refreshToken"}          | ${"String!"}
  ${"Session.refreshTokenExpiresAt"} | ${"Timestamp!"}
`("$field is of type $type", ({ field = "", type }) => {
  expect(String(fieldOf(field)?.type)).toBe(type);
});

test("the timestamps of the specification are dates, all others are written in full", () => {
  const types = Object.values(service.app.schema.getTypeMap()).filter(isObjectType);
  const fields = types.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
  const dates = fields.filter(({ field }) => field.args.some(({ name }) => name === "format"));
  expect(dates.map(({ type, field }) => `${type.name}.${field.name} ${field.args[0]?.defaultValue}`).sort()).toEqual([
    "Comment.createdAt DATE",
    "Message.createdAt DATE",
    "Post.createdAt DATE",
    "Post.publishedAt DATE",
    "Post.updatedAt DATE",
  ]);
});

test.each(["Cursor", "Timestamp"])("the scalar %s says what specifies it", (name) => {
  const scalar = service.app.schema.getType(name);
  expect(isScalarType(scalar) && scalar.specifiedByURL).toMatch(/^https:/);
});

function fieldOf(path: string): GraphQLField<unknown, unknown> | undefined {
  const [typeName = "", name = ""] = path.split(".");
  const type = service.app.schema.getType(typeName);
  return isObjectType(type) ? type.getFields()[name] : undefined;
}
