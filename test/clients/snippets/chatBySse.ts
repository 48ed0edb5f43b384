import { type Client, createClient } from "graphql-sse";
import { type ApiError, ApiErrors, type Session } from "./session.ts";

/** @param silentMs the time without a word after which the connection is opened anew. The service sends something every 12 seconds. */
export function eventClient(url: string, session: Session, silentMs = 30_000): Client {
  return createClient({
    url,
    headers: async (): Promise<Record<string, string>> => {
      const token = await session.accessToken();
      return token === undefined ? {} : { authorization: `Bearer ${token}` };
    },
    fetchFn: (input: string, init: RequestInit) => fetchUntilSilent(input, init, silentMs),
    retryAttempts: Number.POSITIVE_INFINITY,
    // Ten seconds at most, and some chance, so that all clients of a service that restarts do not return at once.
    retry: (retries) =>
      new Promise((resolve) => {
        setTimeout(resolve, Math.min(1_000 * 2 ** retries, 10_000) * (0.5 + Math.random() / 2));
      }),
  });
}

/** A network that is gone, as of a phone that leaves the house, says nothing. */
async function fetchUntilSilent(input: string, init: RequestInit, silentMs: number): Promise<Response> {
  const silence = new AbortController();
  const waitAgain = () => setTimeout(() => silence.abort(), silentMs);
  let waiting = waitAgain();
  const end = () => clearTimeout(waiting);
  init.signal?.addEventListener("abort", end);
  const signal = AbortSignal.any(init.signal ? [init.signal, silence.signal] : [silence.signal]);
  const response = await fetch(input, { ...init, signal });
  const heard = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      end();
      waiting = waitAgain();
      controller.enqueue(chunk);
    },
    flush: end,
  });
  return new Response(response.body?.pipeThrough(heard), response);
}

/** The messages of a chat, without end. Break off the loop to stop. */
export async function* followByEvents(client: Client, chatId: string, after?: string) {
  const query = `subscription Added($chatId: ID!, $after: ID) {
    messageAdded(chatId: $chatId, after: $after) { id text }
  }`;
  // The client sends the variables again when the network breaks, and continues from here.
  const variables = { chatId, after };
  for (;;) {
    for await (const { data, errors, extensions } of client.iterate<
      { messageAdded: { id: string; text: string } },
      { after: string }
    >({
      query,
      variables,
    })) {
      const failures = [...(errors ?? [])] as unknown as ApiError[];
      // The token has expired, or the service restarts: subscribe again.
      if (failures.some(isTemporary)) continue;
      if (!data) throw new ApiErrors(failures);
      variables.after = extensions?.after ?? data.messageAdded.id;
      yield data.messageAdded;
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Math.random()));
  }
}

function isTemporary({ extensions: { code, reason } }: ApiError): boolean {
  return code === "SERVICE_UNAVAILABLE" || reason === "TOKEN_EXPIRED";
}
