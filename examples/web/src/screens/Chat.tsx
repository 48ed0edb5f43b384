import { useApolloClient, useMutation, useQuery, useSubscription } from "@apollo/client/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Action, Dialog, Field, Form, TextForm } from "../forms";
import { graphql, type ResultOf } from "../graphql";
import { More, Time, viewerFragment, Waiting } from "../parts";
import { chatLineFragment, chatTitle, othersOf } from "./Chats";

const messageFragment = graphql(`
  fragment MessageParts on Message { id text createdAt(format: DATE_TIME) editedAt deletedAt sender { id name } }
`);

const chatQuery = graphql(
  `
  query Chat($id: ID!, $after: Cursor) {
    me { ...Viewer }
    chat(id: $id) {
      ...ChatLine
      messagesConnection(first: 30, after: $after) {
        edges { node { ...MessageParts } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, chatLineFragment, messageFragment],
);
type ChatData = ResultOf<typeof chatQuery>;

const messageAdded = graphql(
  `
  subscription MessageAdded($chatId: ID!, $after: ID) {
    messageAdded(chatId: $chatId, after: $after) { ...MessageParts }
  }
`,
  [messageFragment],
);

const messageUpdated = graphql(
  `
  subscription MessageUpdated($chatId: ID!, $after: ID) {
    messageUpdated(chatId: $chatId, after: $after) { ...MessageParts }
  }
`,
  [messageFragment],
);

const editMutation = graphql(`
  mutation EditMessage($id: ID!, $text: String!) { updateMessage(id: $id, text: $text) { id text editedAt } }
`);

export const deleteMessageMutation = graphql(`
  mutation DeleteMessage($id: ID!) { deleteMessage(id: $id) { id text deletedAt } }
`);

const sendMutation = graphql(`
  mutation Send($chatId: ID!, $text: String!, $idempotencyKey: String!) {
    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $idempotencyKey) { id }
  }
`);

const readMutation = graphql(`
  mutation MarkChatRead($chatId: ID!, $messageId: ID!) {
    markChatRead(chatId: $chatId, messageId: $messageId) { id unreadCount }
  }
`);

type LoadedChat = NonNullable<ChatData["chat"]>;

export function ChatScreen({ id, userId }: { id: string; userId: string }) {
  const { data, error, fetchMore, refetch } = useQuery(chatQuery, { variables: { id } });
  // The message itself comes by the subscription.
  const [send] = useMutation(sendMutation);
  const chat = data?.chat;
  if (!chat) return <Waiting error={error} retry={refetch} />;
  const title = chatTitle(chat, userId);
  const others = othersOf(chat, userId);
  return (
    <div className="conversation">
      <title>{title}</title>
      <h1>{title}</h1>
      {chat.title !== null && <p className="small">{["You", ...others].join(", ")}</p>}
      <Messages chat={chat} userId={userId} areNamed={chat.title !== null || others.length > 1}>
        <More pageInfo={chat.messagesConnection?.pageInfo} load={fetchMore} label="Older messages" />
      </Messages>
      <TextForm
        label="Message"
        isLine
        send={(text, idempotencyKey) => send({ variables: { chatId: id, text, idempotencyKey } })}
      />
    </div>
  );
}

interface MessagesProps {
  chat: LoadedChat;
  userId: string;
  /** Whether the title leaves open who has written a message. */
  areNamed: boolean;
  children: ReactNode;
}

function Messages({ chat, userId, areNamed, children }: MessagesProps) {
  const { cache } = useApolloClient();
  const edges = chat.messagesConnection?.edges ?? [];
  const newest = edges[0]?.node;
  // Only where the subscription begins: the client knows how to go on.
  const [after] = useState(newest?.id);
  useSubscription(messageAdded, {
    variables: { chatId: chat.id, after },
    onData: ({ data: { data } }) => {
      const added = data?.messageAdded;
      if (!added) return;
      cache.updateQuery({ query: chatQuery, variables: { id: chat.id } }, (loaded) => {
        const connection = loaded?.chat?.messagesConnection;
        // The query may have brought the message already.
        if (!connection || connection.edges.some(({ node }) => node.id === added.id)) return loaded;
        const edges = [{ __typename: "MessageEdge" as const, node: added }, ...connection.edges];
        return { ...loaded, chat: { ...loaded.chat, messagesConnection: { ...connection, edges } } } as ChatData;
      });
    },
  });

  // The cache finds the message by its id.
  useSubscription(messageUpdated, { variables: { chatId: chat.id } });

  const [markRead] = useMutation(readMutation);
  const unreadUpTo = newest && (chat.unreadCount > 0 || newest.id !== after) ? newest : undefined;
  const messageId = unreadUpTo?.sender?.id === userId ? undefined : unreadUpTo?.id;
  useEffect(() => {
    // The next message tries again.
    if (messageId) markRead({ variables: { chatId: chat.id, messageId } }).catch(() => {});
  }, [chat.id, messageId, markRead]);

  /** The first of several messages of one member names them. */
  const isNamed = (index: number) => {
    const [sender, before] = [edges[index], edges[index + 1]].map((edge) => edge?.node.sender?.id);
    return areNamed && sender !== userId && sender !== before;
  };

  // A message that an edge of the box would cut in two is not shown, unless it is higher than the box.
  const box = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of messages is another list of elements.
  useEffect(() => {
    const hideCut = (entries: IntersectionObserverEntry[]) => {
      for (const { target, intersectionRatio, boundingClientRect, rootBounds } of entries) {
        const fits = boundingClientRect.height < (rootBounds?.height ?? 0);
        target.toggleAttribute("data-cut", fits && intersectionRatio < 0.99);
      }
    };
    const observer = new IntersectionObserver(hideCut, { root: box.current, threshold: 0.99 });
    for (const message of box.current?.querySelectorAll(".message") ?? []) observer.observe(message);
    return () => observer.disconnect();
  }, [edges.length]);

  return (
    // Newest first, and shown from the bottom up: the browser keeps the newest in view.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that it can be scrolled by keys.
    <section ref={box} role="log" className="messages" aria-label="Conversation" tabIndex={0}>
      {edges.map(({ node: { id, text, sender, createdAt, editedAt, deletedAt } }, index) => (
        <div key={id} className={sender?.id === userId ? "message mine" : "message"}>
          <div className="small caption">
            <span className={isNamed(index) ? undefined : "hidden"}>{sender?.name ?? "Somebody"}</span>
            <Time of={createdAt} precise />
            {editedAt && <span>edited</span>}
            {sender?.id === userId && !deletedAt && <Change id={id} text={text} />}
          </div>
          <p className="text">{text}</p>
        </div>
      ))}
      {children}
    </section>
  );
}

function Change({ id, text }: { id: string; text: string }) {
  const [edit] = useMutation(editMutation);
  const [remove] = useMutation(deleteMessageMutation, { variables: { id } });
  return (
    <>
      <Dialog label="Edit" title="Edit what you said">
        <Form submit="Save" done="Saved." act={({ text = "" }) => edit({ variables: { id, text } })}>
          <Field name="text" label="New text" rows={2} required defaultValue={text} />
        </Form>
      </Dialog>
      <Dialog label="Delete" title="Delete what you said?">
        <Action className="primary" act={() => remove()}>
          Delete for good
        </Action>
      </Dialog>
    </>
  );
}
