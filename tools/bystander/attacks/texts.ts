import type { Attack } from "./Attack.ts";

/** NFC reorders a run of combining marks in quadratic time. */
const marks = "\u0316\u0300".repeat(16_000);
const createPost = "mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }";
const createChat = "mutation ($title: String) { createChat(title: $title, memberIds: []) { id } }";
const signIn = 'mutation ($password: String!) { signIn(email: "a@example.com", password: $password) { accessToken } }';

export const passwordMarks: Attack = {
  title: "16,000 pairs of combining marks as the password of an anonymous signIn",
  run: (attacker) =>
    attacker.flood(8, () => ({ query: signIn, variables: { password: marks } }), { isAnonymous: true }),
};

export const postTitleMarks: Attack = {
  title: "16,000 pairs of combining marks as the title of a post",
  run: (attacker) =>
    attacker.flood(8, () => ({ query: createPost, variables: { input: { title: marks, content: "A" } } })),
};

export const chatTitleMarks: Attack = {
  title: "16,000 pairs of combining marks as the title of a chat",
  run: (attacker) => attacker.flood(8, () => ({ query: createChat, variables: { title: marks } })),
};

export const manyTags: Attack = {
  title: "1,990 tags for one post",
  run(attacker) {
    const tags = Array.from({ length: 1_990 }, (_, index) => `tag ${index}`);
    const input = { title: "A", content: "A", tags };
    return attacker.flood(8, () => ({ query: createPost, variables: { input } }));
  },
};

export const sameTitle: Attack = {
  title: "the same title without Latin letters again and again, beside 1,000 such posts",
  prepare: `insert into app_public.posts (author_id, title, content) select $1, '文', 'A' from generate_series(1, 1000)`,
  run: (attacker) =>
    attacker.flood(8, () => ({ query: createPost, variables: { input: { title: "文", content: "A" } } })),
};

/** Each writer waits for the one before, with a connection to the database. */
export const sameRow: Attack = {
  title: "30 requests at once that change the same post of 100,000 characters",
  prepare: `insert into app_public.posts (author_id, title, content) values ($1, 'Same', 'A')`,
  async run(attacker) {
    const data = await attacker.ask({ query: `{ me { posts(limit: 1) { id } } }` });
    const query = "mutation ($id: ID!, $content: String!) { updatePost(id: $id, input: { content: $content }) { id } }";
    return attacker.flood(30, (index) => ({
      query,
      variables: { id: data?.me.posts[0]?.id, content: `word${index} `.repeat(9_000) },
    }));
  },
};

/** Forty words of two letters. */
const pairs = Array.from({ length: 40 }, (_, index) => "abcdefgh"[index % 8] + ("abcde"[index % 5] as string)).join(
  " ",
);

export const search: Attack = {
  title: "searches for forty words in thirty posts that consist of them",
  prepare: `insert into app_public.posts (author_id, title, content, status)
    select $1, 'Pairs', repeat('${pairs} ', 800), 'PUBLISHED' from generate_series(1, 30)`,
  run: (attacker) =>
    attacker.flood(8, () => ({
      query: "query ($text: String!) { searchConnection(text: $text, first: 100) { nodes { rank fragmentsHtml } } }",
      variables: { text: pairs },
    })),
};
