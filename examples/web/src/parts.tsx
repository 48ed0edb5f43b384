import { type FormEvent, useEffect, useRef, useState } from "react";
import { faultsOf } from "./client";
import { type FragmentOf, graphql } from "./graphql";
import { linkTo } from "./router";

/* What several screens show. */

/** Every screen's query asks for this. So the header reads it from the cache, and needs no request of its own. */
export const viewerFragment = graphql(`
  fragment Viewer on User { id name unreadNotificationsCount }
`);

export const postCardFragment = graphql(`
  fragment PostCard on Post { id slug title excerpt status publishedAt commentsCount author { id name } tags { id name } }
`);
type PostCardParts = FragmentOf<typeof postCardFragment>;

export function PostCard({ post }: { post: PostCardParts }) {
  return (
    <article className="card">
      <h2>
        <a href={linkTo("post", post.slug)}>{post.title}</a>
      </h2>
      <p>{post.excerpt}</p>
      <Byline post={post} />
    </article>
  );
}

export function Byline({ post }: { post: Omit<PostCardParts, "excerpt"> }) {
  return (
    <p className="small">
      <a href={linkTo("user", post.author.id)}>{post.author.name}</a> ·{" "}
      {post.publishedAt ? <time dateTime={post.publishedAt}>{post.publishedAt}</time> : "draft"} · {post.commentsCount}{" "}
      {post.commentsCount === 1 ? "comment" : "comments"}
      {post.tags?.map(({ id, name }) => (
        <span key={id}> · #{name}</span>
      ))}
    </p>
  );
}

export function Faults({ error }: { error: unknown }) {
  const faults = faultsOf(error);
  if (faults.length === 0) return null;
  return (
    <div role="alert">
      {faults.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}

/** In place of a screen whose answer is not there. */
export function Waiting({ error }: { error: unknown }) {
  return error ? <Faults error={error} /> : <p role="status">Loading …</p>;
}

interface MoreProps {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null } | undefined;
  load(page: { variables: { after: string | null | undefined } }): Promise<unknown>;
  label?: string;
}

/** Loads the next page when it is scrolled into view, or pressed. */
export function More({ pageInfo, load, label = "Load more" }: MoreProps) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) button.current?.click();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  });
  const { busy, error, run } = useAction(async () => load({ variables: { after: pageInfo?.endCursor } }));
  if (!pageInfo?.hasNextPage) return null;
  return (
    <>
      <Faults error={error} />
      <button ref={button} type="button" disabled={busy || error !== undefined} onClick={() => run()}>
        {label}
      </button>
    </>
  );
}

/** One text to send: a comment, a message. */
export function TextForm({
  label,
  send,
}: {
  label: string;
  send(text: string, idempotencyKey: string): Promise<unknown>;
}) {
  const { busy, error, run } = useAction(async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    await send(String(new FormData(form).get("text")), crypto.randomUUID());
    form.reset();
  });
  return (
    <form onSubmit={run}>
      <label>
        {label}
        <textarea name="text" required rows={2} />
      </label>
      <Faults error={error} />
      <button type="submit" disabled={busy}>
        Send
      </button>
    </form>
  );
}

/** Runs what a button or a form does: once at a time, and keeps its error for `<Faults>`. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<unknown>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [done, setDone] = useState(false);
  async function run(...args: Args): Promise<void> {
    setBusy(true);
    setError(undefined);
    setDone(false);
    try {
      await act(...args);
      setDone(true);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  return { busy, error, done, run };
}
