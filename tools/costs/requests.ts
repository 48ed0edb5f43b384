/** An operation whose cost is measured. */
export interface CostedRequest {
  name: string;
  query: string;
  /** @param n counts the requests, from 0 */
  variables(n: number): Record<string, unknown>;
  /** The signed-in user of a request; undefined for a visitor. */
  as?(n: number): number;
}

/** How much there is to ask for: the ids of each kind begin with 1. */
export interface Content {
  posts: number;
  users: number;
  /** Users 1 to that number write. */
  writers: number;
}

const text = "Some content of an ordinary post. ".repeat(30).trim();

export function reads({ posts }: Content): CostedRequest[] {
  return [
    {
      name: "feed of 10 posts",
      query:
        "query Feed { feed(limit: 10) { id title excerpt author { id name } tags { id name } comments(limit: 3) { id text author { name } } } }",
      variables: () => ({}),
    },
    {
      name: "post",
      query: "query Post($id: ID!) { post(id: $id) { id title content author { id name } } }",
      // Every tenth post is a draft.
      variables: (n) => ({ id: String(1 + ((n * 10) % posts)) }),
    },
    {
      name: "page of 20 posts with a count",
      query: "query Page { posts(limit: 20, status: PUBLISHED) { id title } postsCount(status: PUBLISHED) }",
      variables: () => ({}),
    },
  ];
}

export function writes({ posts, users, writers }: Content): CostedRequest[] {
  const writer = (n: number) => 1 + (n % writers);
  return [
    {
      name: "createPost, three tags",
      query: "mutation CreatePost($input: CreatePostInput!) { createPost(input: $input) { id } }",
      variables: (n) => ({
        input: { title: `Story ${n}`, content: text, tags: ["tag 1", "tag 2", "tag 3"], status: "PUBLISHED" },
      }),
      as: writer,
    },
    {
      name: "updatePost, title",
      query:
        "mutation UpdatePost($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { id title } }",
      variables: (n) => ({ id: String(1 + (n % posts)), input: { title: `Story ${n}, again` } }),
      // The author that bench/data.ts gives the post.
      as: (n) => 1 + (((1 + (n % posts)) * 7919) % users),
    },
    {
      name: "createComment",
      query:
        'mutation CreateComment($postId: ID!) { createComment(postId: $postId, text: "A comment of ordinary length.") { id } }',
      variables: (n) => ({ postId: String(1 + ((n * 10) % posts)) }),
      as: writer,
    },
    {
      name: "followUser",
      query: "mutation Follow($id: ID!) { followUser(userId: $id) { id } }",
      variables: (n) => ({ id: String(writers + 1 + (Math.floor(n / writers) % (users - writers))) }),
      as: writer,
    },
    sendMessage("sendMessage, one chat", () => 1, writer),
  ];
}

export function sendMessage(name: string, chat: (n: number) => number, as: (n: number) => number): CostedRequest {
  return {
    name,
    query: "mutation SendMessage($chatId: ID!, $text: String!) { sendMessage(chatId: $chatId, text: $text) { id } }",
    variables: (n) => ({ chatId: String(chat(n)), text: `Message number ${n} of the measurement` }),
    as,
  };
}
