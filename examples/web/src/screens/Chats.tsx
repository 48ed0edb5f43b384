import { useQuery } from "@apollo/client/react";
import { type FragmentOf, graphql } from "../graphql";
import { Avatar, personFragment, viewerFragment, Waiting } from "../parts";
import { linkTo } from "../router";

export const chatLineFragment = graphql(
  `
  fragment ChatLine on Chat {
    id title isDirect unreadCount lastActivityAt
    lastMessage { id text sender { ...Person } }
    membersConnection(first: 5) { nodes { ...Person } }
  }
`,
  [personFragment],
);
type ChatLineParts = FragmentOf<typeof chatLineFragment>;

const chatsQuery = graphql(
  `query Chats { me { ...Viewer inboxConnection(first: 15) { nodes { chat { ...ChatLine } } } } }`,
  [viewerFragment, chatLineFragment],
);

export function Chats({ userId }: { userId: string }) {
  const { data, error, refetch } = useQuery(chatsQuery);
  if (!data?.me) return <Waiting error={error} retry={refetch} />;
  const chats = (data.me.inboxConnection?.nodes ?? []).map(({ chat }) => chat);
  return (
    <>
      <title>Chats</title>
      <h1>Chats</h1>
      <ul className="lines">
        {chats
          .toSorted((a, b) => b.lastActivityAt.localeCompare(a.lastActivityAt))
          .map((chat) => (
            <ChatLine key={chat.id} chat={chat} userId={userId} />
          ))}
      </ul>
      {chats.length === 0 && <p>Open a user’s profile to begin a chat.</p>}
    </>
  );
}

function ChatLine({ chat, userId }: { chat: ChatLineParts; userId: string }) {
  const { lastMessage, unreadCount, membersConnection } = chat;
  const other = membersConnection?.nodes.find(({ id }) => id !== userId);
  return (
    <li className={unreadCount > 0 ? "chat unread" : "chat"}>
      {other && <Avatar person={other} />}
      <div>
        <a href={linkTo("chats", chat.id)}>{chatTitle(chat, userId)}</a>
        {lastMessage && (
          <p className="small clipped">
            {lastMessage.sender?.name ?? "Somebody"}: {lastMessage.text}
          </p>
        )}
      </div>
      {unreadCount > 0 && <strong className="badge">{unreadCount} unread</strong>}
    </li>
  );
}

/** A chat without a title has its other members’ names. */
export function chatTitle(
  { title, membersConnection }: Pick<ChatLineParts, "title" | "membersConnection">,
  userId: string,
): string {
  const others = membersConnection?.nodes.filter(({ id }) => id !== userId).map(({ name }) => name);
  return title ?? (others?.join(", ") || "Chat");
}
