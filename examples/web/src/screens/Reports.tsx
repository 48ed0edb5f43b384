import { useMutation, useQuery, useSubscription } from "@apollo/client/react";
import { Field, Form } from "../forms";
import { graphql, type ResultOf } from "../graphql";
import { counted, More, Person, personFragment, Time, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";
import { deleteMessageMutation } from "./Chat";
import { deletePostMutation } from "./Editor";
import { deleteCommentMutation } from "./Post";

const reportsQuery = graphql(
  `
  query Reports($after: Cursor) {
    me { ...Viewer }
    reportsConnection(status: OPEN, first: 20, after: $after) {
      edges {
        node {
          id createdAt status note reasonsCount reasons { reason reporter { ...Person } }
          post { id slug title excerpt author { ...Person } }
          comment { id text author { ...Person } post { id slug title } }
          message { id text sender { ...Person } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`,
  [viewerFragment, personFragment],
);
type ReportParts = NonNullable<ResultOf<typeof reportsQuery>["reportsConnection"]>["edges"][number]["node"];

const resolveMutation = graphql(`
  mutation ResolveReport($id: ID!, $status: ReportStatus!, $note: String) {
    resolveReport(id: $id, status: $status, note: $note) { id status }
  }
`);

/** Another admin decides, or another user reports the same: the cache takes it over. A new one is at the end of the list. */
const reportUpdated = graphql(`
  subscription ReportUpdated($after: ID) { reportUpdated(after: $after) { id status reasonsCount } }
`);

/** What admins have to decide, oldest first. */
export function Reports() {
  const { data, error, fetchMore, refetch } = useQuery(reportsQuery);
  const reports = data?.reportsConnection;
  const known = new Set(reports?.edges.map(({ node }) => node.id));
  useSubscription(reportUpdated, {
    onData: ({ data: { data } }) => {
      if (data?.reportUpdated && !known.has(data.reportUpdated.id) && !reports?.pageInfo.hasNextPage) void refetch();
    },
  });
  if (!reports) return <Waiting error={error} retry={refetch} />;
  // The cache has the new status of those that were decided here.
  const open = reports.edges.filter(({ node }) => node.status === "OPEN");
  return (
    <>
      <title>Reports</title>
      <h1>Reports</h1>
      {open.length === 0 && <p role="status">Nothing is left to decide.</p>}
      {open.map(({ node }) => (
        <Report key={node.id} report={node} />
      ))}
      <More pageInfo={reports.pageInfo} load={fetchMore} />
    </>
  );
}

function Report({
  report: { id, note, createdAt, reasons, reasonsCount, post, comment, message },
}: {
  report: ReportParts;
}) {
  const [resolve] = useMutation(resolveMutation);
  const [deletePost] = useMutation(deletePostMutation);
  const [deleteComment] = useMutation(deleteCommentMutation);
  const [deleteMessage] = useMutation(deleteMessageMutation);
  async function decide({ act, note }: Record<string, string>): Promise<unknown> {
    // The decision comes first: an open report goes with what it is about.
    const decided = await resolve({ variables: { id, note, status: act === "dismiss" ? "DISMISSED" : "UPHELD" } });
    if (act !== "delete" || decided.error) return decided;
    if (post) return deletePost({ variables: { id: post.id } });
    if (comment) return deleteComment({ variables: { id: comment.id } });
    return message && deleteMessage({ variables: { id: message.id } });
  }
  const about = comment?.post ?? post;
  const author = comment?.author ?? post?.author ?? message?.sender;
  return (
    <article className="card">
      <h2 className="headline">{about ? <a href={linkTo("posts", about.slug)}>{about.title}</a> : "In a chat"}</h2>
      {author && <Person person={author} />}
      <blockquote className="text">{comment?.text ?? message?.text ?? post?.excerpt}</blockquote>
      <ul>
        {reasons?.map(({ reason, reporter }) => (
          <li key={reporter.id}>
            <strong>{reason}</strong> <Person person={reporter} />
          </li>
        ))}
      </ul>
      <p className="small byline">
        {counted(reasonsCount, "report")}, since <Time of={createdAt} precise />
        {note && ` · Decided before: ${note}`}
      </p>
      <Form
        act={decide}
        submit={
          <>
            <button type="submit" className="primary" name="act" value="delete">
              Delete it
            </button>
            <button type="submit" name="act" value="uphold">
              Uphold
            </button>
            <button type="submit" name="act" value="dismiss">
              Dismiss
            </button>
          </>
        }
      >
        <Field name="note" label="Note for other admins" />
      </Form>
    </article>
  );
}
