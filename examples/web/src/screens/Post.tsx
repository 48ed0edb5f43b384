import { useMutation, useQuery } from "@apollo/client/react";
import { type ReactNode, useState } from "react";
import { type FragmentOf, graphql } from "../graphql";
import { Byline, More, postCardFragment, TextForm, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";
import { useUserId } from "../session";

const commentFragment = graphql(`
  fragment CommentParts on Comment { id text createdAt author { id name } }
`);

const postQuery = graphql(
  `
  query Post($slug: String!, $after: Cursor) {
    me { ...Viewer }
    postBySlug(slug: $slug) {
      ...PostCard
      content
      commentsConnection(first: 20, after: $after, topLevel: true) {
        edges { node { ...CommentParts repliesConnection(first: 20) { nodes { ...CommentParts } } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, postCardFragment, commentFragment],
);

const commentMutation = graphql(`
  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {
    createComment(input: { postId: $postId, replyToId: $replyToId, text: $text }, idempotencyKey: $idempotencyKey) { id }
  }
`);

export function PostScreen({ slug }: { slug: string }) {
  const { data, error, fetchMore } = useQuery(postQuery, { variables: { slug } });
  const userId = useUserId();
  const [replyTo, setReplyTo] = useState<string>();
  const [comment] = useMutation(commentMutation, { refetchQueries: [postQuery] });
  if (!data?.postBySlug) return <Waiting error={error} />;
  const post = data.postBySlug;
  const comments = post.commentsConnection;
  async function send(text: string, idempotencyKey: string, replyToId?: string) {
    await comment({ variables: { postId: post.id, replyToId, text, idempotencyKey } });
    setReplyTo(undefined);
  }
  return (
    <>
      <title>{post.title}</title>
      <article>
        <h1>{post.title}</h1>
        <Byline post={post} />
        {post.author.id === userId && <a href={linkTo("write", post.id)}>Edit</a>}
        <p className="text">{post.content}</p>
      </article>
      <section aria-labelledby="comments">
        <h2 id="comments">Comments</h2>
        {userId !== undefined && <TextForm label="Your comment" send={send} />}
        {comments?.edges.map(({ node: { id, repliesConnection, ...parts } }) => (
          <Comment key={id} {...parts}>
            {repliesConnection?.nodes.map((reply) => (
              <Comment key={reply.id} {...reply} />
            ))}
            {replyTo === id && <TextForm label="Your reply" send={(text, key) => send(text, key, id)} />}
            {userId !== undefined && replyTo !== id && (
              <button type="button" onClick={() => setReplyTo(id)} aria-label={`Reply to ${parts.author.name}`}>
                Reply
              </button>
            )}
          </Comment>
        ))}
        <More pageInfo={comments?.pageInfo} load={fetchMore} label="More comments" />
      </section>
    </>
  );
}

interface CommentProps extends Omit<FragmentOf<typeof commentFragment>, "id"> {
  children?: ReactNode;
}

function Comment({ author, text, createdAt, children }: CommentProps) {
  return (
    <article className="comment">
      <p className="small">
        <a href={linkTo("user", author.id)}>{author.name}</a> · <time dateTime={createdAt}>{createdAt}</time>
      </p>
      <p className="text">{text}</p>
      {children}
    </article>
  );
}
