import { buildSchema, isObjectType } from "graphql";

/** A schema of the service's shape, with the abstract types and connections that a later version may have more of. */
export const schema = buildSchema(`
  type Query {
    user(id: ID!): User
    users(limit: Int = 100): [User!]
    post(id: ID!): Post
    posts(limit: Int!, offset: Int = 0, status: PostStatus): [Post!]
    postsConnection(first: Int, last: Int): PostConnection
    postsCount(status: PostStatus): Int
    feed(limit: Int!): [Post!]
    search(limit: Int! = 10): [Hit!]!
    languages: [String!]
    prices(limit: Int = 50): [Float!]
  }
  type Mutation {
    createPost(input: CreatePostInput!): Post
    createPosts(inputs: [CreatePostInput!]!): [Post]
  }
  type Subscription { messageAdded(chatId: ID!): Message }
  interface Named { name: String }
  union Hit = User | Post | Tag
  type User implements Named {
    id: ID
    name: String
    posts(status: PostStatus, limit: Int = 20, offset: Int = 0): [Post!]
    followers: FollowSummary
  }
  type FollowSummary { count: Int }
  type Post {
    id: ID
    title: String
    author: User
    tags: [Tag!]
    comments(limit: Int): [Comment!]
    commentsConnection(first: Int, last: Int): CommentConnection!
  }
  type PostConnection { nodes: [Post!]! edges: [PostEdge!]! pageInfo: PageInfo! totalCount: Int! }
  type PostEdge { cursor: String node: Post! }
  type CommentConnection { nodes: [Comment!]! totalCount: Int! }
  type PageInfo { hasNextPage: Boolean! }
  type Comment { id: ID text: String author: User post: Post }
  type Tag implements Named { name: String posts(limit: Int): [Post!] }
  type Message { id: ID text: String sender: User }
  enum PostStatus { DRAFT PUBLISHED }
  input CreatePostInput {
    title: String!
    content: String!
    status: PostStatus = DRAFT
    tags: [String!]
    place: PlaceInput
  }
  input PlaceInput @oneOf { address: String coordinates: [Float!] }
`);

const costs = { postsCount: 100, totalCount: 100, followers: 30, posts: 10, comments: 10, prices: 7, nodes: 3 };
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type)) continue;
  for (const field of Object.values(type.getFields())) {
    const cost = costs[field.name as keyof typeof costs];
    if (cost) field.extensions = { cost };
  }
}
