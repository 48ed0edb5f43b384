import { ApolloProvider, useQuery } from "@apollo/client/react";
import { type ReactNode, StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { newClient } from "./client";
import { graphql } from "./graphql";
import { viewerFragment } from "./parts";
import { linkTo, useRoute } from "./router";
import { ChatScreen } from "./screens/Chat";
import { Chats } from "./screens/Chats";
import { EditPost, NewPost } from "./screens/Editor";
import { Feed } from "./screens/Feed";
import { Notifications } from "./screens/Notifications";
import { PostScreen } from "./screens/Post";
import { Profile } from "./screens/Profile";
import { Search } from "./screens/Search";
import { SignIn } from "./screens/SignIn";
import { signOut, useUserId } from "./session";
import "./style.css";

const viewerQuery = graphql(`query Viewer { me { ...Viewer } }`, [viewerFragment]);

function App() {
  const [name = "", argument = ""] = useRoute();
  const userId = useUserId();
  // The cache of one user is not for the next one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the user decides when a new client is needed.
  const client = useMemo(() => newClient(), [userId]);
  return (
    <ApolloProvider key={userId} client={client}>
      <Header userId={userId} current={name === "user" ? `user/${argument}` : name} />
      <main key={`${name}/${argument}`}>{screen(name, argument, userId)}</main>
    </ApolloProvider>
  );
}

function screen(name: string, argument: string, userId: string | undefined): ReactNode {
  switch (name) {
    case "":
      return <Feed />;
    case "post":
      return <PostScreen slug={argument} />;
    case "user":
      return <Profile id={argument} />;
    case "search":
      return <Search text={argument} />;
  }
  if (userId === undefined) return <SignIn />;
  switch (name) {
    case "write":
      return argument ? <EditPost id={argument} /> : <NewPost />;
    case "chats":
      return argument ? <ChatScreen id={argument} userId={userId} /> : <Chats userId={userId} />;
    case "notifications":
      return <Notifications />;
    default:
      return <p>There is no such page.</p>;
  }
}

function Header({ userId, current }: { userId: string | undefined; current: string }) {
  const { data } = useQuery(viewerQuery, { fetchPolicy: "cache-only" });
  const unread = data?.me?.unreadNotificationsCount;
  const links: [name: string, label: string, ...argument: string[]][] = [
    ["", "Feed"],
    ["search", "Search"],
  ];
  if (userId === undefined) links.push(["sign-in", "Sign in"]);
  else {
    links.push(["write", "Write"], ["chats", "Chats"]);
    links.push(["notifications", unread ? `Notifications (${unread})` : "Notifications"]);
    links.push(["user", data?.me?.name ?? "Profile", userId]);
  }
  return (
    <header>
      <nav aria-label="Main">
        {links.map(([name, label, ...argument]) => (
          <a
            key={name}
            href={linkTo(name, ...argument)}
            aria-current={[name, ...argument].join("/") === current ? "page" : undefined}
          >
            {label}
          </a>
        ))}
        {userId !== undefined && (
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </nav>
    </header>
  );
}

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
