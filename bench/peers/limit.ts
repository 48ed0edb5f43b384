import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { announce, openPool } from "./serve.ts";

/*
 * The limit: node:http and one hand-written statement for each operation, whose JSON goes to the client as it comes. No
 * GraphQL, no token. With LIMIT_ROLE, each connection has that role, so row-level security applies.
 */
const feed = `
  select coalesce(json_agg(row.item), '[]')::text as data from (
    select json_build_object('id', p.id::text, 'title', p.title, 'excerpt', p.excerpt,
      'author', (select json_build_object('id', u.id::text, 'name', u.name) from app_public.users u where u.id = p.author_id),
      'tags', (select coalesce(json_agg(json_build_object('id', t.id::text, 'name', t.name) order by t.name), '[]')
                 from app_public.post_tags pt join app_public.tags t on t.id = pt.tag_id where pt.post_id = p.id),
      'comments', (select coalesce(json_agg(c.item), '[]') from (
         select json_build_object('id', c.id::text, 'text', c.text, 'author',
           (select json_build_object('name', u.name) from app_public.users u where u.id = c.author_id)) as item
           from app_public.comments c where c.post_id = p.id order by c.created_at, c.id limit 3) c)) as item
      from (select * from app_public.posts where status = 'PUBLISHED' order by listed_at desc, id desc limit $1) p) row`;
const post = `
  select json_build_object('id', p.id::text, 'title', p.title, 'content', p.content,
    'author', (select json_build_object('id', u.id::text, 'name', u.name) from app_public.users u where u.id = p.author_id))::text as data
    from app_public.posts p where p.status = 'PUBLISHED' and p.id = $1`;
const page = `
  select json_build_object(
    'posts', (select coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.title)), '[]')
                from (select id, title from app_public.posts where status = 'PUBLISHED' order by listed_at desc, id desc limit $1) p),
    'postsCount', (select count(*) from app_public.posts where status = 'PUBLISHED'))::text as data`;

const pool = openPool(process.env["LIMIT_ROLE"]);

async function answer(body: string): Promise<string> {
  const { operationName, variables } = JSON.parse(body);
  const ask = async (text: string, value: unknown) =>
    (await pool.query({ name: operationName, text, values: [value] })).rows[0]?.data ?? "null";
  switch (operationName) {
    case "Feed":
      return `{"data":{"feed":${await ask(feed, variables.limit)}}}`;
    case "Post":
      return `{"data":{"post":${await ask(post, variables.id)}}}`;
    case "Page":
      return `{"data":${await ask(page, variables.limit)}}`;
    default:
      return '{"data":{"__typename":"Query"}}';
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const bytes = Buffer.from(await answer(Buffer.concat(chunks).toString()));
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
}).listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
