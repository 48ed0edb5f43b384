import { ApolloProvider, useQuery, useSubscription } from "@apollo/client/react";
import { type ReactNode, StrictMode, useEffect, useMemo, useRef } from "react";
import { createRoot } from "react-dom/client";
import { newClient } from "./client";
import { graphql } from "./graphql";
import { Icon, type IconName } from "./Icon";
import { AskViewer, Avatar, useIsOnline, viewerFragment, viewerQuery } from "./parts";
import { linkTo, useRoute } from "./router";
import { ConfirmEmail, ForgotPassword, ResetPassword, SignedIn, SignIn, SignUp, Welcome } from "./screens/Account";
import { ChatScreen } from "./screens/Chat";
import { Chats, chatLineFragment } from "./screens/Chats";
import { EditPost, NewPost } from "./screens/Editor";
import { Feed } from "./screens/Feed";
import { History } from "./screens/History";
import { NewGroup } from "./screens/NewGroup";
import { addNotification, Notifications, notificationFragment } from "./screens/Notifications";
import { PostScreen } from "./screens/Post";
import { Preview } from "./screens/Preview";
import { Profile } from "./screens/Profile";
import { Reports } from "./screens/Reports";
import { Review } from "./screens/Review";
import { Search, SearchForm } from "./screens/Search";
import { TagScreen } from "./screens/Tag";
import { Trash } from "./screens/Trash";
import { signOut, useUserId } from "./session";
import "./style.css";

const notificationAdded = graphql(
  `
  subscription NotificationAdded($after: ID) {
    notificationAdded(after: $after) { ...NotificationParts user { ...Viewer } }
  }
`,
  [notificationFragment, viewerFragment],
);

/** The counts of the badges, when another tab or device has read something, and each chat with news: the cache takes them over. */
const viewerUpdated = graphql(
  `
  subscription ViewerUpdated($after: ID) { meUpdated(after: $after) { ...Viewer } }
`,
  [viewerFragment],
);
const inboxChanged = graphql(
  `
  subscription InboxChanged($after: ID) { inboxEntryChanged(after: $after) { chatId chat { ...ChatLine } user { ...Viewer } } }
`,
  [chatLineFragment, viewerFragment],
);

function App() {
  const [name = "", argument = ""] = useRoute();
  const userId = useUserId();
  // The cache of one user is not for the next one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the user decides when a new client is needed.
  const client = useMemo(() => newClient(), [userId]);
  // Signing in on a screen leads to another one, which has a query.
  const openedBy = useRef(userId);
  const main = useRef<HTMLElement>(null);
  const place = `${name}/${argument}/${userId}`;
  const shown = useRef(place);
  useEffect(() => {
    // Not when the page is loaded. Later the link or the form that had the focus is gone.
    if (shown.current !== place) main.current?.focus({ preventScroll: true });
    shown.current = place;
  }, [place]);
  return (
    <ApolloProvider key={userId} client={client}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header userId={userId} name={name} argument={argument} />
      <main id="main" key={place} ref={main} tabIndex={-1}>
        {Object.hasOwn(plain, name) && userId === openedBy.current && <AskViewer />}
        {screen(name, argument, userId)}
      </main>
    </ApolloProvider>
  );
}

type Screens = Record<string, (argument: string, userId: string) => ReactNode>;
const open: Screens = {
  "": () => <Feed />,
  posts: (slug) => <PostScreen slug={slug} />,
  users: (id) => <Profile id={id} />,
  tags: (name) => <TagScreen name={name} />,
  preview: () => <Preview />,
  search: (text) => <Search text={text} />,
};
/** Screens without a query. */
const plain: Screens = {
  "sign-in": () => <SignIn />,
  "sign-up": () => <SignUp />,
  "signed-in": () => <SignedIn />,
  "confirm-email": () => <ConfirmEmail />,
  "forgot-password": () => <ForgotPassword />,
  "reset-password": () => <ResetPassword />,
};
/** For signed-in users. Everybody else signs in first. */
const closed: Screens = {
  welcome: () => <Welcome />,
  write: (id) => (id ? <EditPost id={id} /> : <NewPost />),
  history: (id) => <History id={id} />,
  chats: (id, userId) => {
    if (id === "new") return <NewGroup userId={userId} />;
    return id ? <ChatScreen id={id} userId={userId} /> : <Chats userId={userId} />;
  },
  notifications: () => <Notifications />,
  review: () => <Review />,
  reports: () => <Reports />,
  trash: () => <Trash />,
};

function screen(name: string, argument: string, userId = ""): ReactNode {
  if (Object.hasOwn(open, name)) return open[name]?.(argument, userId);
  if (Object.hasOwn(plain, name)) return plain[name]?.(argument, userId);
  if (Object.hasOwn(closed, name)) return userId ? closed[name]?.(argument, userId) : <SignIn />;
  return <NoPage />;
}

function NoPage() {
  return (
    <>
      <title>Not found</title>
      <AskViewer />
      <h1>There is no such page</h1>
      <p>The link may be old, or a letter is missing. What you look for may be here:</p>
      <SearchForm />
      <p>
        <a href="/">To the front page</a>
      </p>
    </>
  );
}

interface HeaderProps {
  userId: string | undefined;
  name: string;
  argument: string;
}

function Header({ userId, name, argument }: HeaderProps) {
  const { data, client } = useQuery(viewerQuery, { fetchPolicy: "cache-only" });
  const skip = userId === undefined;
  useSubscription(viewerUpdated, { skip, ignoreResults: true });
  useSubscription(inboxChanged, { skip, ignoreResults: true });
  useSubscription(notificationAdded, {
    skip,
    onData: ({ data: { data } }) => data?.notificationAdded && addNotification(client.cache, data.notificationAdded),
  });
  const isOnline = useIsOnline();
  const me = data?.me;
  const unread: Record<string, number | null | undefined> = {
    chats: me?.unreadChatsCount,
    notifications: me?.unreadNotificationsCount,
  };
  const links: [name: string, label: string, icon: IconName][] = [
    ["", "Feed", "feed"],
    ["search", "Search", "search"],
  ];
  if (userId !== undefined) {
    links.push(["write", "Write", "write"], ["chats", "Chats", "chats"], ["notifications", "Notifications", "bell"]);
  }
  return (
    <header>
      <div className="masthead">
        <a className="wordmark" href="/">
          Small Publication
        </a>
        <nav aria-label="Main">
          {links.map(([to, label, icon]) => (
            <a key={to} href={linkTo(to)} aria-current={to === name ? "page" : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
              {unread[to] ? (
                <strong className="badge">
                  {unread[to]}
                  <span className="hidden"> unread</span>
                </strong>
              ) : null}
            </a>
          ))}
        </nav>
        <nav aria-label="Account" className="account">
          {userId === undefined ? (
            <>
              <a href="/sign-in">Sign in</a>
              <a className="button primary" href="/sign-up">
                Sign up
              </a>
            </>
          ) : (
            <>
              {me?.rights.includes("EDIT_ANY_POST") && (
                <a href="/review" aria-current={name === "review" ? "page" : undefined}>
                  Review
                </a>
              )}
              {me?.rights.includes("READ_REPORTS") && (
                <a href="/reports" aria-current={name === "reports" ? "page" : undefined}>
                  Reports
                </a>
              )}
              {me && (
                <a
                  className="person"
                  href={linkTo("users", userId)}
                  aria-current={name === "users" && argument === userId ? "page" : undefined}
                >
                  <Avatar person={me} />
                  <span>{me.name}</span>
                </a>
              )}
              <button type="button" className="quiet" onClick={() => void signOut().catch(() => {})}>
                Sign out
              </button>
            </>
          )}
        </nav>
      </div>
      <div role="status">{!isOnline && <p className="offline">You are offline. What you see may be old.</p>}</div>
    </header>
  );
}

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
