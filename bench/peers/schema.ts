/** The part of the service's API that the bench asks for. */
export const typeDefs = `
  type Query {
    feed(limit: Int!): [Post!]!
    post(id: ID!): Post
    posts(limit: Int = 20, offset: Int = 0, status: PostStatus): [Post!]!
    postsCount(status: PostStatus): Int!
  }
  enum PostStatus { PUBLISHED }
  type Post { id: ID! title: String! excerpt: String! content: String! author: User! tags: [Tag!]! comments(limit: Int = 20): [Comment!]! }
  type User { id: ID! name: String! }
  type Tag { id: ID! name: String! }
  type Comment { id: ID! text: String! author: User! }
`;

const postColumns = "id, author_id, title, excerpt, content";
const published = "status = 'PUBLISHED'";

/** The statements of a careful author: prepared, by primary keys and indexes, one for all parents of a level. */
export const statements = {
  feed: {
    name: "feed",
    text: `select ${postColumns} from app_public.posts where ${published} order by listed_at desc, id desc limit $1`,
  },
  post: { name: "post", text: `select ${postColumns} from app_public.posts where ${published} and id = $1` },
  posts: {
    name: "posts",
    text: `select ${postColumns} from app_public.posts where ${published} order by listed_at desc, id desc limit $1 offset $2`,
  },
  count: { name: "count", text: `select count(*)::int as count from app_public.posts where ${published}` },
  users: { name: "users", text: "select id, name from app_public.users where id = any($1)" },
  tags: {
    name: "tags",
    text: `select post_tags.post_id, tags.id, tags.name from app_public.post_tags join app_public.tags on tags.id = post_tags.tag_id
            where post_tags.post_id = any($1) order by tags.name`,
  },
  comments: {
    name: "comments",
    text: `select top.* from unnest($1::bigint[]) as of (post_id)
            cross join lateral (
              select id, post_id, author_id, text from app_public.comments where comments.post_id = of.post_id
               order by created_at, id limit $2) as top`,
  },
};

/** Groups rows by a key, in the order of the keys. */
export function groupsOf<Row>(keys: readonly string[], rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>(keys.map((key) => [key, []]));
  for (const row of rows) groups.get(keyOf(row))?.push(row);
  return keys.map((key) => groups.get(key) ?? []);
}

/** One row for each key, in the order of the keys. */
export function rowsOf<Row extends { id: string }>(keys: readonly string[], rows: readonly Row[]): (Row | null)[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return keys.map((key) => byId.get(key) ?? null);
}
