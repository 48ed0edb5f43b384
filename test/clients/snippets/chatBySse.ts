import { type Client, createClient } from "graphql-sse";
import { type ApiFault, ApiFaults, type Session } from "./session.ts";

export function eventClient(url: string, session: Session): Client {
  return createClient({
    url,
    headers: async (): Promise<Record<string, string>> => {
      const token = await session.accessToken();
      return token === undefined ? {} : { authorization: `Bearer ${token}` };
    },
  });
}

/** The messages of a chat, without end. Break off the loop to stop. */
export async function* followByEvents(client: Client, chatId: string, after?: string) {
  const query = `subscription Added($chatId: ID!, $after: ID) {
    messageAdded(chatId: $chatId, after: $after) { id text }
  }`;
  // The client sends the variables again when the network breaks, and continues from here.
  const variables = { chatId, after };
  for (;;) {
    for await (const { data, errors } of client.iterate<{ messageAdded: { id: string; text: string } }>({
      query,
      variables,
    })) {
      const faults = [...(errors ?? [])] as unknown as ApiFault[];
      // The token has expired, or the service restarts: subscribe again.
      if (faults.some(isTemporary)) continue;
      if (!data) throw new ApiFaults(faults);
      variables.after = data.messageAdded.id;
      yield data.messageAdded;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Math.random()));
  }
}

function isTemporary({ extensions: { code, reason } }: ApiFault): boolean {
  return code === "SERVICE_UNAVAILABLE" || reason === "TOKEN_EXPIRED";
}
