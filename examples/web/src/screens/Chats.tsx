import { useQuery } from "@apollo/client/react";
import { type FragmentOf, graphql } from "../graphql";
import { Avatar, personFragment, Time, viewerFragment, Waiting } from "../parts";
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
      <div className="titled">
        <h1>Chats</h1>
        <a className="button" href="/chats/new">
          New group
        </a>
      </div>
      <ul className="lines">
        {chats
          .toSorted((a, b) => b.lastActivityAt.localeCompare(a.lastActivityAt))
          .map((chat) => (
            <ChatLine key={chat.id} chat={chat} userId={userId} />
          ))}
      </ul>
      {chats.length === 0 && <p>Begin a group, or open a user’s profile to talk to one person.</p>}
    </>
  );
}

function ChatLine({ chat, userId }: { chat: ChatLineParts; userId: string }) {
  const { title, lastActivityAt, lastMessage, unreadCount, membersConnection } = chat;
  const other = membersConnection?.nodes.find(({ id }) => id !== userId);
  const sender = lastMessage?.sender;
  // Above the message of the only other member stands the name.
  const isTitle = title === null && othersOf(chat, userId).length === 1;
  const said = sender?.id === userId ? "You: " : isTitle ? "" : `${sender?.name ?? "Somebody"}: `;
  return (
    <li className={unreadCount > 0 ? "pictured unread" : "pictured"}>
      {other && <Avatar person={other} />}
      <div>
        <a className="name" href={linkTo("chats", chat.id)}>
          {chatTitle(chat, userId)}
        </a>
        {lastMessage && (
          <p className="small clipped">
            {said}
            {lastMessage.text}
          </p>
        )}
      </div>
      <p className="aside">
        <span className="small">
          <Time of={lastActivityAt} brief />
        </span>
        {unreadCount > 0 && <strong className="badge">{unreadCount} unread</strong>}
      </p>
    </li>
  );
}

/** A chat without a title has its other members’ names. */
export function chatTitle(chat: Pick<ChatLineParts, "title" | "membersConnection">, userId: string): string {
  return chat.title ?? (othersOf(chat, userId).join(", ") || "Chat");
}

/** The names of the other members. */
export function othersOf({ membersConnection }: Pick<ChatLineParts, "membersConnection">, userId: string): string[] {
  return (membersConnection?.nodes ?? []).filter(({ id }) => id !== userId).map(({ name }) => name);
}
