import { type Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Answer {
  data?: any;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: Record<string, any>;
  }[];
}

interface PostOptions {
  authorization?: string | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** Of a server on a Unix socket. */
  socketPath?: string;
}

/**
 * Sends a JSON body over the connections of an agent. fetch() has no agent.
 *
 * @throws when the response is incomplete
 */
export function postJson(
  url: string,
  agent: Agent,
  body: string,
  { authorization, signal, headers, socketPath }: PostOptions = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const all = { "content-type": "application/json", ...(authorization ? { authorization } : null), ...headers };
    const options = {
      method: "POST",
      agent,
      headers: all,
      ...(signal ? { signal } : null),
      ...(socketPath ? { socketPath } : null),
    };
    const sent = request(url, options, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends one GraphQL query and closes the connection, so that it does not delay the end of the service. */
export async function post(url: string, query: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", connection: "close", ...headers },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as Answer;
}
