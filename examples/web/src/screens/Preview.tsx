import { useMutation, useQuery } from "@apollo/client/react";
import { useState } from "react";
import { errorsOf } from "../client";
import { Action } from "../forms";
import { type FragmentOf, graphql } from "../graphql";
import { Markdown } from "../Markdown";
import { AskViewer, Time, Waiting } from "../parts";

const previewQuery = graphql(`
  query Preview($token: String!) { preview(token: $token) { id title content expiresAt } }
`);
export const previewsFragment = graphql(`
  fragment PreviewsOfPost on Post { id previews { id createdAt expiresAt lastUsedAt madeBy { name } } }
`);
const createMutation = graphql(`
  mutation CreatePreview($id: ID!, $expiresAt: Timestamp!) { createPreview(postId: $id, expiresAt: $expiresAt) }
`);
const withdrawMutation = graphql(`
  mutation WithdrawPreview($id: ID!) { withdrawPreview(id: $id) { success } }
`);

const lifetimeMs = 7 * 86_400_000;

/** A post before it is published. The token is behind `#`: no server's log has it, and no other site. */
export function Preview() {
  const token = location.hash.slice(1);
  const { data, error, refetch } = useQuery(previewQuery, { variables: { token }, fetchPolicy: "no-cache" });
  const hasEnded = errorsOf(error).some(({ code }) => code === "NOT_FOUND");
  if (!data?.preview && !hasEnded) return <Waiting error={error} retry={refetch} />;
  const preview = data?.preview;
  return (
    <>
      <title>Preview</title>
      <meta name="referrer" content="no-referrer" />
      <AskViewer />
      {preview ? (
        <article className="post">
          <p className="notice" role="status">
            A preview, until <Time of={preview.expiresAt} />. The post is not published like this yet.
          </p>
          <h1>{preview.title}</h1>
          <Markdown text={preview.content} />
        </article>
      ) : (
        <>
          <h1>This preview has ended</h1>
          <p>Ask the author for a new link.</p>
        </>
      )}
    </>
  );
}

/** The links to a post, for its author. @param refetch asks for them again */
export function Previews({
  post,
  refetch,
}: {
  post: FragmentOf<typeof previewsFragment>;
  refetch(): Promise<unknown>;
}) {
  const [create] = useMutation(createMutation);
  const [withdraw] = useMutation(withdrawMutation);
  const [link, setLink] = useState<string>();
  async function make(): Promise<void> {
    const expiresAt = new Date(Date.now() + lifetimeMs).toISOString();
    const { data } = await create({ variables: { id: post.id, expiresAt } });
    setLink(`${location.origin}/preview#${data?.createPreview}`);
    await refetch();
  }
  return (
    <section aria-labelledby="previews">
      <h2 id="previews" className="section">
        Preview links
      </h2>
      <p className="small">
        Who has a link sees the post as it would be published now, for a week, without signing in.
      </p>
      <Action act={make}>Make a link</Action>
      {link && (
        <p role="status">
          <a className="long-link" href={link}>
            {link}
          </a>
        </p>
      )}
      <ul className="lines">
        {post.previews?.map(({ id, createdAt, expiresAt, lastUsedAt, madeBy }) => (
          <li key={id}>
            Made <Time of={createdAt} precise /> {madeBy && `by ${madeBy.name}`}, ends <Time of={expiresAt} />,{" "}
            {lastUsedAt ? (
              <>
                last used <Time of={lastUsedAt} precise />
              </>
            ) : (
              "not used yet"
            )}
            . <Action act={() => withdraw({ variables: { id } }).then(() => refetch())}>Withdraw</Action>
          </li>
        ))}
      </ul>
    </section>
  );
}
