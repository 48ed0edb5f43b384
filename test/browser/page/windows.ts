import { gql } from "@apollo/client";
import {
  commitMutation,
  createOperationDescriptor,
  fetchQuery,
  getRequest,
  type MutationParameters,
  requestSubscription,
} from "relay-runtime";
import commentDeleted from "../../clients/relay/__generated__/AppCommentDeletedSubscription.graphql.ts";
import comment from "../../clients/relay/__generated__/AppCommentMutation.graphql.ts";
import commentAdded from "../../clients/relay/__generated__/AppCommentSubscription.graphql.ts";
import comments, { type AppCommentsQuery } from "../../clients/relay/__generated__/AppCommentsQuery.graphql.ts";
import { apolloClient } from "../../clients/snippets/apollo.ts";
import { socketClient } from "../../clients/snippets/chatByWebSocket.ts";
import { cachedUrqlClient } from "../../clients/snippets/graphcache.ts";
import { relayEnvironment } from "../../clients/snippets/relay.ts";
import { Session } from "../../clients/snippets/session.ts";

/* Windows that show the comments of a post, with the programs of docs/libraries.md. */

const fields = "id text post { id commentsCount } replyTo { id }";
const added = `subscription Added { commentAdded(postId: 1) { ${fields} } }`;
const deleted = "subscription Deleted { commentDeleted(postId: 1) { id post { id commentsCount } } }";
const said = `mutation Say($input: CreateCommentInput!) { createComment(input: $input) { ${fields} } }`;
const query = (list: string) => `query Comments { post(id: 1) {
  id commentsCount commentsConnection(first: 20) { ${list} pageInfo { hasNextPage endCursor } }
} }`;

type Write = (text: string) => Promise<unknown>;
type Show = (count: number, texts: string[]) => void;
interface Node {
  text: string;
}

const windows = {
  async "Apollo Client"(url: string, session: Session, show: Show): Promise<Write> {
    const client = apolloClient(url, session, socketClient(url, session));
    client.watchQuery({ query: gql(query(`edges { node { ${fields} } }`)) }).subscribe(({ data }: any) => {
      if (!data) return;
      const { commentsCount, commentsConnection } = data.post;
      show(
        commentsCount,
        commentsConnection.edges.map(({ node }: { node: Node }) => node.text),
      );
    });
    for (const events of [added, deleted]) client.subscribe({ query: gql(events) }).subscribe(() => {});
    return (text) => client.mutate({ mutation: gql(said), variables: { input: { postId: "1", text } } });
  },

  async graphcache(url: string, session: Session, show: Show): Promise<Write> {
    const client = cachedUrqlClient(url, session);
    client.query(query(`nodes { ${fields} }`), {}).subscribe(({ data }) => {
      if (!data) return;
      const { commentsCount, commentsConnection } = data.post;
      show(
        commentsCount,
        commentsConnection.nodes.map(({ text }: Node) => text),
      );
    });
    for (const events of [added, deleted]) client.subscription(events, {}).subscribe(() => {});
    return (text) => client.mutation(said, { input: { postId: "1", text } }).toPromise();
  },

  async Relay(url: string, session: Session, show: Show): Promise<Write> {
    const environment = relayEnvironment(url, session, socketClient(url, session));
    const operation = createOperationDescriptor(getRequest(comments), { id: "1" });
    environment.retain(operation);
    await fetchQuery<AppCommentsQuery>(environment, comments, { id: "1" }).toPromise();
    const snapshot = environment.lookup(operation.fragment);
    const showAll = (data: unknown) => {
      const { post } = data as AppCommentsQuery["response"];
      show(
        post?.commentsCount ?? 0,
        (post?.commentsConnection?.edges ?? []).map(({ node }) => node.text),
      );
    };
    showAll(snapshot.data);
    environment.subscribe(snapshot, ({ data }) => showAll(data));
    const connections = [(snapshot.data as AppCommentsQuery["response"]).post?.commentsConnection?.__id as string];
    for (const subscription of [commentAdded, commentDeleted]) {
      requestSubscription(environment, { subscription, variables: { postId: "1", connections } });
    }
    return (text) =>
      new Promise((onCompleted, onError) => {
        const variables = { input: { postId: "1", text }, connections };
        commitMutation<MutationParameters>(environment, { mutation: comment, variables, onCompleted, onError });
      });
  },
};

export type WindowName = keyof typeof windows;

/** Keeps what is shown in `shown`: the number of comments, and their texts. */
async function openWindow(name: WindowName, url: string): Promise<void> {
  const session = new Session(url, localStorage);
  const write = await windows[name](url, session, (...shown) => Object.assign(globalThis, { shown }));
  Object.assign(globalThis, { session, write });
}

/** Leaves a session in the page's storage. */
const signIn = (url: string, email: string, password: string) => new Session(url, localStorage).signIn(email, password);
Object.assign(globalThis, { openWindow, signIn });
