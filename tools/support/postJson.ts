import { type Agent, request } from "node:http";

/**
 * Sends a body of JSON over an agent's connections, which fetch() does not let one choose.
 *
 * @throws when there is no whole answer
 */
export function postJson(
  url: string,
  agent: Agent,
  body: string,
  { authorization, signal }: { authorization?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", ...(authorization ? { authorization } : null) };
    const options = { method: "POST", agent, headers, ...(signal ? { signal } : null) };
    const sent = request(url, options, async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
      } catch (error) {
        reject(error);
      }
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
