import { useMutation, useQuery } from "@apollo/client/react";
import { type FormEvent, useState } from "react";
import { graphql } from "../gql";
import type { CommentPartsFragment } from "../gql/graphql";
import { Byline, Faults, More, useAction, Waiting } from "../parts";
import { linkTo } from "../router";
import { useUserId } from "../session";

const postQuery = graphql(`
  query Post($slug: String!, $after: Cursor) {
    me { ...Viewer }
    postBySlug(slug: $slug) {
      ...PostCard
      content
      commentsConnection(first: 20, after: $after, topLevel: true) {
        edges { node { ...CommentParts replies(limit: 20) { ...CommentParts } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }

  fragment CommentParts on Comment { id text createdAt author { id name } }
`);

const commentMutation = graphql(`
  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {
    createComment(postId: $postId, replyToId: $replyToId, text: $text, idempotencyKey: $idempotencyKey) { id }
  }
`);

export function PostScreen({ slug }: { slug: string }) {
  const { data, error, fetchMore } = useQuery(postQuery, { variables: { slug } });
  const userId = useUserId();
  const [replyTo, setReplyTo] = useState<string>();
  const post = data?.postBySlug;
  if (!post) return <Waiting error={error} />;
  const comments = post.commentsConnection;
  const form = (replyToId?: string) =>
    userId !== undefined && (
      <CommentForm key={replyToId} postId={post.id} replyToId={replyToId} onSent={() => setReplyTo(undefined)} />
    );
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
        {form()}
        {comments?.edges.map(({ node: comment }) => (
          <Comment key={comment.id} comment={comment}>
            {comment.replies?.map((reply) => (
              <Comment key={reply.id} comment={reply} />
            ))}
            {replyTo === comment.id
              ? form(comment.id)
              : userId !== undefined && (
                  <button type="button" onClick={() => setReplyTo(comment.id)}>
                    Reply<span className="hidden"> to {comment.author.name}</span>
                  </button>
                )}
          </Comment>
        ))}
        <More pageInfo={comments?.pageInfo} load={fetchMore} label="More comments" />
      </section>
    </>
  );
}

function Comment({ comment, children }: { comment: CommentPartsFragment; children?: React.ReactNode }) {
  const { author, text, createdAt } = comment;
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

interface CommentFormProps {
  postId: string;
  replyToId: string | undefined;
  onSent(): void;
}

function CommentForm({ postId, replyToId, onSent }: CommentFormProps) {
  const [text, setText] = useState("");
  const [comment] = useMutation(commentMutation, { refetchQueries: [postQuery] });
  const { busy, error, run } = useAction(async (event: FormEvent) => {
    event.preventDefault();
    await comment({ variables: { postId, replyToId, text, idempotencyKey: crypto.randomUUID() } });
    setText("");
    onSent();
  });
  return (
    <form onSubmit={run}>
      <label>
        {replyToId === undefined ? "Your comment" : "Your reply"}
        <textarea required rows={2} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <Faults error={error} />
      <button type="submit" disabled={busy}>
        Send
      </button>
    </form>
  );
}
