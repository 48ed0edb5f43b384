import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import SchemaBuilder from "@pothos/core";
import DataloaderPlugin from "@pothos/plugin-dataloader";
import { and, count, desc, eq, inArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { bigint, pgSchema, text, timestamp } from "drizzle-orm/pg-core";
import { createYoga } from "graphql-yoga";
import { groupsOf, rowsOf } from "./schema.ts";
import { announce, openPool } from "./serve.ts";

/* GraphQL Yoga with Pothos, its dataloader plugin, and Drizzle. */
const app = pgSchema("app_public");
const key = (name: string) => bigint(name, { mode: "number" });
const posts = app.table("posts", {
  id: key("id"),
  authorId: key("author_id"),
  title: text("title"),
  excerpt: text("excerpt"),
  content: text("content"),
  status: text("status"),
  listedAt: timestamp("listed_at"),
});
const users = app.table("users", { id: key("id"), name: text("name") });
const tags = app.table("tags", { id: key("id"), name: text("name") });
const postTags = app.table("post_tags", { postId: key("post_id"), tagId: key("tag_id") });
const comments = app.table("comments", {
  id: key("id"),
  postId: key("post_id"),
  authorId: key("author_id"),
  text: text("text"),
  createdAt: timestamp("created_at"),
});

const database = drizzle(openPool());
type Row = any;
const builder: any = new SchemaBuilder<any>({ plugins: [DataloaderPlugin] } as any);
const named = { id: (t: any) => t.exposeID("id"), name: (t: any) => t.exposeString("name") };
const User = builder.loadableObject("User", {
  load: async (ids: number[]) =>
    rowsOf(ids as never, (await database.select().from(users).where(inArray(users.id, ids))) as never),
  fields: (t: any) => ({ id: named.id(t), name: named.name(t) }),
});
const Tag = builder.objectRef("Tag").implement({ fields: (t: any) => ({ id: named.id(t), name: named.name(t) }) });
const Comment = builder.objectRef("Comment").implement({
  fields: (t: any) => ({
    id: t.exposeID("id"),
    text: t.exposeString("text"),
    author: t.field({ type: User, resolve: (row: Row) => row.authorId }),
  }),
});
const Post = builder.objectRef("Post").implement({
  fields: (t: any) => ({
    id: t.exposeID("id"),
    title: t.exposeString("title"),
    excerpt: t.exposeString("excerpt"),
    content: t.exposeString("content"),
    author: t.field({ type: User, resolve: (row: Row) => row.authorId }),
    tags: t.loadableList({
      type: Tag,
      load: async (ids: number[]) => {
        const rows = await database
          .select({ postId: postTags.postId, id: tags.id, name: tags.name })
          .from(postTags)
          .innerJoin(tags, eq(tags.id, postTags.tagId))
          .where(inArray(postTags.postId, ids))
          .orderBy(tags.name);
        return groupsOf(ids as never, rows, (row) => row.postId as never);
      },
      resolve: (row: Row) => row.id,
    }),
    comments: t.loadableList({
      type: Comment,
      args: { limit: t.arg.int({ defaultValue: 20 }) },
      byPath: true,
      load: async (ids: number[], _context: unknown, { limit }: { limit: number }) => {
        const top = database
          .select()
          .from(comments)
          .where(eq(comments.postId, sql`of.post_id`))
          .orderBy(comments.createdAt, comments.id)
          .limit(limit)
          .as("top");
        const rows = await database
          .select({ id: top.id, postId: top.postId, authorId: top.authorId, text: top.text })
          .from(sql`unnest(${sql.param(ids)}::bigint[]) as of (post_id)`)
          .crossJoinLateral(top);
        return groupsOf(ids as never, rows, (row: any) => row.postId as never);
      },
      resolve: (row: Row) => row.id,
    }),
  }),
});
const PostStatus = builder.enumType("PostStatus", { values: ["PUBLISHED"] });
const published = eq(posts.status, "PUBLISHED");
const newest = [desc(posts.listedAt), desc(posts.id)];
builder.queryType({
  fields: (t: any) => ({
    feed: t.field({
      type: [Post],
      args: { limit: t.arg.int({ required: true }) },
      resolve: (_: unknown, { limit }: any) =>
        database
          .select()
          .from(posts)
          .where(published)
          .orderBy(...newest)
          .limit(limit),
    }),
    post: t.field({
      type: Post,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: async (_: unknown, { id }: any) =>
        (
          await database
            .select()
            .from(posts)
            .where(and(published, eq(posts.id, Number(id))))
        )[0] ?? null,
    }),
    posts: t.field({
      type: [Post],
      args: {
        limit: t.arg.int({ defaultValue: 20 }),
        offset: t.arg.int({ defaultValue: 0 }),
        status: t.arg({ type: PostStatus }),
      },
      resolve: (_: unknown, { limit, offset }: any) =>
        database
          .select()
          .from(posts)
          .where(published)
          .orderBy(...newest)
          .limit(limit)
          .offset(offset),
    }),
    postsCount: t.int({
      args: { status: t.arg({ type: PostStatus }) },
      resolve: async () => (await database.select({ count: count() }).from(posts).where(published))[0]?.count ?? 0,
    }),
  }),
});
const server = createServer(createYoga({ schema: builder.toSchema(), logging: false, graphiql: false }));
server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
