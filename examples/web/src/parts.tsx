import { useQuery } from "@apollo/client/react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { errorsOf, isLost } from "./client";
import { Errors, useAction } from "./forms";
import { type FragmentOf, graphql } from "./graphql";
import { plainText } from "./Markdown";
import { linkTo } from "./router";
import { useUserId } from "./session";

/* What several screens show. */

/** Every screen's query asks for this. So the header reads it from the cache, and needs no request of its own. */
export const viewerFragment = graphql(`
  fragment Viewer on User { id name avatar rights unreadNotificationsCount unreadChatsCount }
`);

export const viewerQuery = graphql(`query Viewer { me { ...Viewer } }`, [viewerFragment]);

/** What the viewer may do, as far as the header knows. */
export function useRights() {
  return useQuery(viewerQuery, { fetchPolicy: "cache-only" }).data?.me?.rights ?? [];
}

/** Asks for what the header shows, where the screen does not: it has no query, or its query has failed. */
export function AskViewer() {
  useQuery(viewerQuery, { fetchPolicy: "cache-first", skip: useUserId() === undefined });
  return null;
}

export const personFragment = graphql(`
  fragment Person on User { id name avatar }
`);
type PersonParts = FragmentOf<typeof personFragment>;

export const postCardFragment = graphql(
  `
  fragment PostCard on Post {
    id slug title excerpt status publishedAt commentsCount author { ...Person } tags { id name }
  }
`,
  [personFragment],
);
type PostCardParts = FragmentOf<typeof postCardFragment>;

interface PostProps {
  post: Omit<PostCardParts, "excerpt">;
  /** The page names the author already. */
  isAuthorNamed?: boolean;
}

export function PostCard({ post, isAuthorNamed }: PostProps & { post: PostCardParts }) {
  return (
    <article className="card">
      <h2 className="headline">
        <a href={linkTo("posts", post.slug)}>{post.title}</a>
      </h2>
      <p className="excerpt">{plainText(post.excerpt)}</p>
      <Byline post={post} isAuthorNamed={isAuthorNamed} />
    </article>
  );
}

export function Byline({ post, isAuthorNamed = false }: PostProps) {
  return (
    <div className="byline small">
      {!isAuthorNamed && <Person person={post.author} />}
      <span>
        {post.publishedAt ? <Time of={post.publishedAt} /> : "Draft"} · {counted(post.commentsCount, "comment")}
      </span>
      {post.tags && post.tags.length > 0 && (
        <span className="tags">
          {post.tags.map(({ id, name }) => (
            <a key={id} className="tag" href={linkTo("tags", name)}>
              #{name}
            </a>
          ))}
        </span>
      )}
    </div>
  );
}

export function Person({ person }: { person: PersonParts }) {
  return (
    <a className="person" href={linkTo("users", person.id)}>
      <Avatar person={person} />
      {person.name}
    </a>
  );
}

/** A user’s picture, or the initials where there is none. The name stands beside it. */
export function Avatar({ person: { id, name, avatar } }: { person: PersonParts }) {
  const [broken, setBroken] = useState<string>();
  if (avatar && avatar !== broken) {
    return (
      <img className="avatar" src={avatar} alt="" referrerPolicy="no-referrer" onError={() => setBroken(avatar)} />
    );
  }
  const words = name.trim().split(/\s+/);
  const initials = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...(word ?? "")][0]).join("");
  // The golden angle gives neighbours different colours.
  return (
    <span className="avatar" aria-hidden="true" style={{ background: `oklch(0.45 0.09 ${Number(id) * 137.5})` }}>
      {initials}
    </span>
  );
}

interface TimeProps {
  of: string;
  /** With the time of the day. */
  precise?: boolean;
  /** Today’s time, or the date of an earlier day. */
  brief?: boolean;
}

export function Time({ of: timestamp, precise = false, brief = false }: TimeProps) {
  const date = new Date(timestamp);
  const today = new Date();
  const year = date.getFullYear() === today.getFullYear() ? undefined : "numeric";
  const day = { year, month: "short", day: "numeric" } as const;
  const time = { hour: "numeric", minute: "2-digit" } as const;
  // A date without a time is midnight in UTC.
  let format: Intl.DateTimeFormatOptions = { dateStyle: "long", timeZone: timestamp.length === 10 ? "UTC" : undefined };
  if (precise) format = { ...day, ...time };
  if (brief) format = date.toDateString() === today.toDateString() ? time : day;
  return <time dateTime={timestamp}>{date.toLocaleString(undefined, format)}</time>;
}

/** “1 comment”, “2 comments”. */
export const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export function useIsOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      addEventListener("online", listener);
      addEventListener("offline", listener);
      return () => {
        removeEventListener("online", listener);
        removeEventListener("offline", listener);
      };
    },
    () => navigator.onLine,
  );
}

/** In place of a screen whose data is not there. It tries again when the connection is back, or a button is pressed. */
export function Waiting({ error, retry }: { error: unknown; retry(): Promise<unknown> }) {
  const lost = isLost(error);
  const again = useRef(() => {});
  again.current = () => void retry().catch(() => {});
  useEffect(() => {
    const listener = () => again.current();
    if (lost) addEventListener("online", listener);
    return () => removeEventListener("online", listener);
  }, [lost]);
  if (!error) return <p role="status">Loading …</p>;
  return (
    <>
      <title>{lost ? "No connection" : "Not found"}</title>
      <h1>{lost ? "No connection" : "There is nothing here"}</h1>
      {!lost && <AskViewer />}
      <Errors errors={errorsOf(error)} />
      {lost ? (
        <button type="button" className="primary" onClick={() => again.current()}>
          Try again
        </button>
      ) : (
        <p>
          <a href="/">To the front page</a>
        </p>
      )}
    </>
  );
}

interface MoreProps {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null } | undefined;
  load(page: { variables: { after: string | null | undefined } }): Promise<unknown>;
  label?: string;
}

/** Loads the next page when it is scrolled into view, once, or pressed. */
export function More({ pageInfo, load, label = "Load more" }: MoreProps) {
  const button = useRef<HTMLButtonElement>(null);
  const after = pageInfo?.endCursor;
  const asked = useRef<typeof after>(undefined);
  const { busy, error, run } = useAction(async () => {
    asked.current = after;
    await load({ variables: { after } });
  });
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (asked.current !== after && entries.some(({ isIntersecting }) => isIntersecting)) button.current?.click();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [after]);
  if (!pageInfo?.hasNextPage) return null;
  return (
    <div className="more">
      <Errors errors={errorsOf(error)} />
      <button ref={button} type="button" aria-busy={busy} onClick={() => run()}>
        {label}
      </button>
    </div>
  );
}
