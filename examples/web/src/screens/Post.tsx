import type { ApolloCache } from "@apollo/client";
import { useMutation, useQuery, useSubscription } from "@apollo/client/react";
import { type ReactNode, useRef, useState } from "react";
import { addEdge } from "../client";
import { Action, Dialog, Field, Form, TextForm } from "../forms";
import { type FragmentOf, graphql } from "../graphql";
import { Markdown } from "../Markdown";
import {
  Byline,
  counted,
  More,
  Person,
  personFragment,
  postCardFragment,
  Time,
  viewerFragment,
  Waiting,
} from "../parts";
import { linkTo } from "../router";
import { useUserId } from "../session";

const commentFragment = graphql(
  `
  fragment CommentParts on Comment { id text createdAt(format: DATE_TIME) replyToId author { ...Person } }
`,
  [personFragment],
);
type CommentParts = FragmentOf<typeof commentFragment>;

/** A comment with its replies. */
const threadFragment = graphql(
  `
  fragment Thread on Comment { ...CommentParts repliesConnection(first: 20) { edges { node { ...CommentParts } } } }
`,
  [commentFragment],
);

const postQuery = graphql(
  `
  query Post($slug: String!, $after: Cursor) {
    me { ...Viewer }
    postBySlug(slug: $slug) {
      ...PostCard
      content
      commentsConnection(first: 20, after: $after, topLevel: true) {
        edges { node { ...Thread } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, postCardFragment, threadFragment],
);

const commentMutation = graphql(
  `
  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {
    createComment(input: { postId: $postId, replyToId: $replyToId, text: $text }, idempotencyKey: $idempotencyKey) {
      ...Thread post { id commentsCount }
    }
  }
`,
  [threadFragment],
);
const commentAdded = graphql(
  `
  subscription CommentAdded($postId: ID!, $after: ID) {
    commentAdded(postId: $postId, after: $after) { ...Thread post { id commentsCount } }
  }
`,
  [threadFragment],
);
export const deleteCommentMutation = graphql(`
  mutation DeleteComment($id: ID!) { deleteComment(id: $id) { success post { id commentsCount } } }
`);
const reportPostMutation = graphql(`
  mutation ReportPost($id: ID!, $reason: String!) { reportPost(postId: $id, reason: $reason) { success } }
`);
const reportCommentMutation = graphql(`
  mutation ReportComment($id: ID!, $reason: String!) { reportComment(commentId: $id, reason: $reason) { success } }
`);

/** One’s own comment comes with the response, and all comments by the subscription. */
function addComment(cache: ApolloCache, postId: string, { id, replyToId }: CommentParts): void {
  const add = addEdge(cache, { __typename: "Comment", id }, "last");
  const parent = replyToId ? { __typename: "Comment", id: replyToId } : { __typename: "Post", id: postId };
  cache.modify({ id: cache.identify(parent), fields: { commentsConnection: add, repliesConnection: add } });
}

export function PostScreen({ slug }: { slug: string }) {
  const { data, error, fetchMore, refetch } = useQuery(postQuery, { variables: { slug } });
  const userId = useUserId();
  const [report] = useMutation(reportPostMutation);
  if (!data?.postBySlug) return <Waiting error={error} retry={refetch} />;
  const post = data.postBySlug;
  const { id } = post;
  const isMine = post.author.id === userId;
  const rights = data.me?.rights ?? [];
  return (
    <>
      <title>{post.title}</title>
      <article className="post">
        <h1>{post.title}</h1>
        <Byline post={post} />
        <Markdown text={post.content} />
        <div className="actions">
          {(isMine || rights.includes("EDIT_ANY_POST")) && (
            <>
              <a className="button" href={linkTo("write", id)}>
                Edit
              </a>
              <a className="button" href={linkTo("history", id)}>
                Earlier versions
              </a>
            </>
          )}
          {userId !== undefined && !isMine && (
            <Report what={post.title} send={(reason) => report({ variables: { id, reason } })} />
          )}
        </div>
      </article>
      <Comments
        postId={id}
        mayDelete={isMine || rights.includes("MODERATE")}
        count={post.commentsCount}
        comments={post.commentsConnection}
      >
        <More pageInfo={post.commentsConnection?.pageInfo} load={fetchMore} label="More comments" />
      </Comments>
    </>
  );
}

interface CommentsProps {
  postId: string;
  /** Whether the viewer may delete the comments of others. */
  mayDelete: boolean;
  count: number;
  comments: { edges: { node: FragmentOf<typeof threadFragment> }[] } | null | undefined;
  children: ReactNode;
}

function Comments({ postId, mayDelete, count, comments, children }: CommentsProps) {
  const userId = useUserId();
  const [comment] = useMutation(commentMutation);
  useSubscription(commentAdded, {
    variables: { postId },
    onData: ({ client, data: { data } }) => data?.commentAdded && addComment(client.cache, postId, data.commentAdded),
  });
  const send = (text: string, idempotencyKey: string, replyToId?: string) =>
    comment({
      variables: { postId, replyToId, text, idempotencyKey },
      update: (cache, { data }) => data?.createComment && addComment(cache, postId, data.createComment),
    });
  return (
    <section aria-labelledby="comments" className="comments">
      <h2 id="comments">{count === 0 ? "Comments" : counted(count, "comment")}</h2>
      {userId === undefined ? (
        <p>
          <a href="/sign-in">Sign in</a> to comment.
        </p>
      ) : (
        <TextForm label="Your comment" send={send} />
      )}
      {comments?.edges.map(({ node: { repliesConnection, ...thread } }) => (
        <Comment
          key={thread.id}
          comment={thread}
          mayDelete={mayDelete}
          reply={(text, key) => send(text, key, thread.id)}
        >
          {repliesConnection?.edges.map(({ node }) => (
            <Comment key={node.id} comment={node} mayDelete={mayDelete} />
          ))}
        </Comment>
      ))}
      {children}
    </section>
  );
}

interface CommentProps {
  comment: CommentParts;
  mayDelete: boolean;
  /** Missing for a reply: nobody replies to one. */
  reply?(text: string, idempotencyKey: string): Promise<unknown>;
  children?: ReactNode;
}

function Comment({ comment: { id, author, text, createdAt }, mayDelete, reply, children }: CommentProps) {
  const userId = useUserId();
  const replyButton = useRef<HTMLButtonElement>(null);
  const [isReplying, setIsReplying] = useState(false);
  const [report] = useMutation(reportCommentMutation);
  const [remove] = useMutation(deleteCommentMutation, {
    variables: { id },
    update: (cache) => cache.evict({ id: cache.identify({ __typename: "Comment", id }) }),
  });
  return (
    <article className="comment">
      <p className="small byline">
        <Person person={author} /> <Time of={createdAt} precise />
      </p>
      <p className="text">{text}</p>
      {userId !== undefined && (
        <div className="actions">
          {reply && (
            <button
              type="button"
              className="quiet"
              ref={replyButton}
              aria-expanded={isReplying}
              aria-label={`Reply to ${author.name}`}
              onClick={() => setIsReplying(!isReplying)}
            >
              Reply
            </button>
          )}
          {(author.id === userId || mayDelete) && (
            <Dialog label="Delete" title="Delete this comment?">
              <Action className="primary" act={() => remove()}>
                Delete for good
              </Action>
            </Dialog>
          )}
          {author.id !== userId && (
            <Report what={`${author.name}’s comment`} send={(reason) => report({ variables: { id, reason } })} />
          )}
        </div>
      )}
      {reply && isReplying && (
        <TextForm
          label="Your reply"
          autoFocus
          send={reply}
          sent={() => {
            setIsReplying(false);
            replyButton.current?.focus();
          }}
        />
      )}
      {children}
    </article>
  );
}

function Report({ what, send }: { what: string; send(reason: string): Promise<unknown> }) {
  return (
    <Dialog label="Report" title={`Report ${what}`}>
      <Form submit="Report" done="Thank you. The editors will look at it." act={({ reason = "" }) => send(reason)}>
        <Field name="reason" label="Why?" hint="Only the editors see this." rows={3} required maxLength={1000} />
      </Form>
    </Dialog>
  );
}
