import { RawSocket } from "../support/RawSocket.ts";
import { type Answer, type TestService, untilListening } from "../support/service.ts";

export const password = "correct horse battery";

export interface Account {
  id: string;
  email: string;
  accessToken: string;
  refreshToken: string;
}

let people = 0;

/** Signs a user up and in. */
export async function signUp(service: TestService, email = `person-${++people}@example.com`): Promise<Account> {
  const up = await send(
    service,
    `mutation { createUser(name: "P", email: "${email}", password: "${password}") { id } }`,
  );
  expect(up.errors).toBeUndefined();
  const { data } = await signIn(service, email);
  return { id: up.data.createUser.id, email, ...data.signIn };
}

export const signIn = (service: TestService, email: string, given = password) =>
  send(service, `mutation { signIn(email: "${email}", password: "${given}") { accessToken refreshToken } }`);

/** Sends a query, with that token or with none. */
export async function send({ url }: TestService, query: string, token?: string): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query }) });
  return (await response.json()) as Answer;
}

/** Opens a socket of the user that subscribes to a chat with Ada. */
export async function listen(service: TestService, { accessToken: authToken }: Account): Promise<RawSocket> {
  const chat = await send(service, `mutation { createChat(memberIds: ["1"]) { id } }`, authToken);
  const socket = await RawSocket.open(service.url, { protocol: "graphql-transport-ws" });
  socket.say({ type: "connection_init", payload: { authToken } });
  await socket.messages.next();
  const query = `subscription { messageAdded(chatId: "${chat.data.createChat.id}") { text } }`;
  socket.say({ type: "subscribe", id: "1", payload: { query } });
  await untilListening(1, service.app);
  return socket;
}

/** Expects that neither the access token, the refresh token nor the open socket is of use any more. */
export async function expectShutOut(service: TestService, account: Account, socket: RawSocket): Promise<void> {
  expect(await socket.closed).toBe(4403);
  for (const answer of [
    await send(service, "{ me { id } }", account.accessToken),
    await send(service, `mutation { refreshSession(refreshToken: "${account.refreshToken}") { userId } }`),
    await signIn(service, account.email),
  ]) {
    expect(answer.errors?.[0]?.extensions.code).toBe("UNAUTHORIZED");
  }
}
