import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { announce, openPool } from "./serve.ts";

/*
 * The limit of writes: node:http and one hand-written statement for each mutation. No GraphQL, no policies, and no check of the
 * token, whose user it believes. The tables' triggers run; with TRIGGERS=off none does, not even those of foreign keys, and the statements
 * write the columns that triggers would.
 */
const withTriggers = process.env["TRIGGERS"] !== "off";
const [postColumns, postValues] = withTriggers
  ? ["", ""]
  : [
      ", slug, excerpt, published_at, first_published_at",
      ", 'post-' || gen_random_uuid(), left(input ->> 'content', 200), now(), now()",
    ];
const [tagColumns, tagValues] = withTriggers ? ["", ""] : [", is_public, listed_at", ", true, now()"];
const [numberColumn, number] = withTriggers ? ["", ""] : [", number", ", (random() * 1e15)::bigint"];
const statements: Record<string, string> = {
  CreatePost: `
    with given as (select $2::jsonb -> 'input' as input),
    post as (
      insert into app_public.posts (author_id, title, content, status${postColumns})
      select $1, input ->> 'title', input ->> 'content', (input ->> 'status')::app_public.post_status${postValues} from given
      returning id, author_id, title, slug),
    tagged as (
      insert into app_public.post_tags (post_id, tag_id, position${tagColumns})
      select post.id, tags.id, wanted.place${tagValues}
        from post, given, jsonb_array_elements_text(input -> 'tags') with ordinality as wanted (name, place)
        join app_public.tags on tags.name = wanted.name)
    select json_build_object('createPost', json_build_object('id', post.id::text, 'title', post.title, 'slug', post.slug,
      'author', (select json_build_object('name', name) from app_public.users where id = post.author_id)))::text as data from post`,
  FollowUser: `
    with followed as (
      insert into app_public.follows (follower_id, followed_id) select $1, ($2::jsonb ->> 'id')::bigint on conflict do nothing)
    select json_build_object('followUser', json_build_object('user', json_build_object('id', id::text, 'name', name)))::text as data
      from app_public.users where id = ($2::jsonb ->> 'id')::bigint`,
  SendMessage: `
    with message as (
      insert into app_public.messages (chat_id, sender_id, text${numberColumn})
      select ($2::jsonb ->> 'chatId')::bigint, $1, $2::jsonb ->> 'text'${number}
      returning id, text, sender_id)
    select json_build_object('sendMessage', json_build_object('id', message.id::text, 'text', message.text,
      'sender', (select json_build_object('name', name) from app_public.users where id = message.sender_id)))::text as data from message`,
};

const pool = openPool(undefined, withTriggers ? "" : "-c session_replication_role=replica");

async function answer(body: string, token: string): Promise<string> {
  const { operationName, variables } = JSON.parse(body);
  const text = statements[operationName];
  if (!text) return '{"data":{"__typename":"Query"}}';
  const user = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub;
  const { rows } = await pool.query({ name: operationName, text, values: [user, JSON.stringify(variables)] });
  return `{"data":${rows[0].data}}`;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const result = answer(Buffer.concat(chunks).toString(), request.headers.authorization ?? "");
    const bytes = Buffer.from(await result.catch((error) => JSON.stringify({ errors: [String(error)] })));
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
}).listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
