import type { ServerResponse } from "node:http";
import type { Account } from "../memory/ByteLedger.ts";

/**
 * Counts a response from its end() on, until all of it is handed to the operating system, and cuts its connection when the client reads nothing of
 * it for `timeoutMs`.
 */
export function watchUnread(response: ServerResponse, account: Account, timeoutMs: number): void {
  const end = response.end.bind(response) as (...content: unknown[]) => ServerResponse;
  response.end = (...content: unknown[]) => {
    end(...content);
    if (response.writableLength === 0) return response;
    const unread = account.connect(() => response.req.socket.destroy());
    unread.set(response.writableLength);
    response.once("close", () => unread.close());
    // Without a listener for the event, Node destroys a connection on which nothing moved for that time.
    response.setTimeout(timeoutMs);
    // Before Node's own listener, which sets the time for the connection's next request.
    response.prependOnceListener("finish", () => response.socket?.setTimeout(0));
    return response;
  };
}
