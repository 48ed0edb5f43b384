import type { ApolloCache } from "@apollo/client";
import { useMutation, useQuery } from "@apollo/client/react";
import type { ReactNode } from "react";
import { Action, Dialog } from "../forms";
import { graphql } from "../graphql";
import { Time, viewerFragment, Waiting } from "../parts";
import { goTo } from "../router";

const trashQuery = graphql(
  `
  query Trash { me { ...Viewer } trashedPosts(limit: 50) { id title deletedAt expiresAt author { id name } deletedBy { id } } }
`,
  [viewerFragment],
);

const restoreMutation = graphql(`
  mutation RestorePost($id: ID!) { restorePost(id: $id) { id } }
`);

const deleteMutation = graphql(`
  mutation DeletePostPermanently($id: ID!) { deletePostPermanently(id: $id) { success } }
`);

/** Takes a post off the list in the cache, which Back shows. */
function removeFromList(cache: ApolloCache, id: string): void {
  cache.evict({ id: cache.identify({ __typename: "TrashedPost", id }) });
}

/** A button that brings a deleted post back, and opens it. */
export function Restore({ id, children }: { id: string; children: ReactNode }) {
  const [restore] = useMutation(restoreMutation, { variables: { id }, update: (cache) => removeFromList(cache, id) });
  return (
    <Action
      act={async () => {
        await restore();
        goTo("write", id);
      }}
    >
      {children}
    </Action>
  );
}

/** The deleted posts that the viewer may restore or delete for good. */
export function Trash() {
  const { data, error, refetch } = useQuery(trashQuery);
  const [remove] = useMutation(deleteMutation);
  if (!data?.me || !data.trashedPosts) return <Waiting error={error} retry={refetch} />;
  const { me, trashedPosts } = data;
  const isEditor = me.rights.includes("EDIT_ANY_POST");
  return (
    <>
      <title>Trash</title>
      <h1>Trash</h1>
      {trashedPosts.length === 0 && <p role="status">It is empty.</p>}
      <ul className="lines">
        {trashedPosts.map(({ id, title, deletedAt, expiresAt, author, deletedBy }) => (
          <li key={id}>
            <p className="name">{title}</p>
            <p className="small">
              {author.id !== me.id && `By ${author.name}. `}Deleted <Time of={deletedAt} precise />, gone for good{" "}
              <Time of={expiresAt} precise />.
            </p>
            <div className="actions">
              {isEditor || deletedBy?.id === me.id ? (
                <>
                  <Restore id={id}>Restore</Restore>
                  <Dialog label="Delete for good" title={`Delete “${title}” for good?`}>
                    <p>The post and its comments cannot be restored then.</p>
                    <Action
                      className="primary"
                      act={() => remove({ variables: { id }, update: (cache) => removeFromList(cache, id) })}
                    >
                      Yes, delete it
                    </Action>
                  </Dialog>
                </>
              ) : (
                <span>An editor has deleted it.</span>
              )}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
