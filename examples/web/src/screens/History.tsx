import { useMutation, useQuery } from "@apollo/client/react";
import { diffWordsWithSpace } from "diff";
import { useState } from "react";
import { Action } from "../forms";
import { graphql } from "../graphql";
import { Time, viewerFragment, Waiting } from "../parts";
import { goTo, linkTo } from "../router";

const historyQuery = graphql(
  `
  query History($id: ID!) {
    me { ...Viewer }
    post(id: $id) { id title content version revisions(limit: 50) { id title content writtenAt } }
  }
`,
  [viewerFragment],
);

const restoreMutation = graphql(`
  mutation RestoreRevision($id: ID!, $ifVersion: String!) {
    restoreRevision(id: $id, ifVersion: $ifVersion) { id title content version }
  }
`);

/** The earlier versions of a post, each compared with the present one. */
export function History({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(historyQuery, { variables: { id } });
  const [restore] = useMutation(restoreMutation);
  const [chosen, setChosen] = useState<string>();
  const post = data?.post;
  if (!post) return <Waiting error={error} retry={refetch} />;
  const revisions = post.revisions ?? [];
  const revision = revisions.find(({ id }) => id === chosen) ?? revisions[0];
  return (
    <>
      <title>{`Earlier versions of ${post.title}`}</title>
      <h1>Earlier versions</h1>
      <p>
        of <a href={linkTo("write", id)}>{post.title}</a>
      </p>
      {!revision && <p>There are none: this post was never changed.</p>}
      {revision && (
        <>
          <div className="field">
            <label htmlFor="revision">Version of</label>
            <select id="revision" value={revision.id} onChange={(event) => setChosen(event.target.value)}>
              {revisions.map(({ id, title, writtenAt }) => (
                <option key={id} value={id}>
                  {new Date(writtenAt).toLocaleString()}: {title}
                </option>
              ))}
            </select>
          </div>
          <p className="small">
            Written <Time of={revision.writtenAt} precise />. What was <del>removed</del> since, and what was{" "}
            <ins>added</ins>:
          </p>
          <section aria-label="Comparison" className="comparison">
            <h2>
              <Comparison before={revision.title} after={post.title} />
            </h2>
            <p className="text">
              <Comparison before={revision.content} after={post.content} />
            </p>
          </section>
          <div className="actions">
            <Action
              className="primary"
              act={async () => {
                await restore({ variables: { id: revision.id, ifVersion: post.version } });
                goTo("write", id);
              }}
            >
              Bring this version back
            </Action>
          </div>
        </>
      )}
    </>
  );
}

function Comparison({ before, after }: { before: string; after: string }) {
  return diffWordsWithSpace(before, after).map(({ value, added, removed }, index) => {
    const Tag = added ? "ins" : removed ? "del" : "span";
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name, and no state.
    return <Tag key={index}>{value}</Tag>;
  });
}
