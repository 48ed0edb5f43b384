import { type Mock, mock } from "node:test";
import pg from "pg";
import { WebSocket } from "ws";
import { useService } from "../support/service.ts";
import { badTokens, signed } from "./badTokens.ts";
import { inSeconds } from "./forge.ts";

/* The same bad tokens as over HTTP, as a WebSocket's connection parameters. */
const service = useService();

let connections: Mock<typeof pg.Pool.prototype.connect>;
beforeEach(() => {
  connections = mock.method(pg.Pool.prototype, "connect");
});
afterEach(() => connections.mock.restore());

/** Sends connection_init. @returns the messages of the service and the close code */
async function initialise(
  protocol: string,
  payload: unknown,
): Promise<{ messages: unknown[]; code: number | undefined }> {
  const socket = new WebSocket(service.url.replace(/^http/, "ws"), protocol);
  const messages: { type: string }[] = [];
  return new Promise((resolve) => {
    socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload })));
    socket.on("message", (data) => {
      messages.push(JSON.parse(String(data)));
      if (messages.at(-1)?.type !== "connection_ack") return;
      socket.terminate();
      resolve({ messages, code: undefined });
    });
    socket.on("close", (code) => resolve({ messages, code }));
  });
}

describe.each(["graphql-transport-ws", "graphql-ws"])(
  "%s: refuses with the same error, without a database connection:",
  (protocol) => {
    const told =
      protocol === "graphql-ws"
        ? [
            {
              type: "connection_error",
              payload: {
                message: "The access token is not valid.",
                extensions: { code: "UNAUTHORIZED", reason: "TOKEN_INVALID" },
              },
            },
          ]
        : [];

    test.each(badTokens)("%s", async (_what, token) => {
      expect(await initialise(protocol, { authToken: token })).toEqual({ messages: told, code: 4403 });
      expect(connections.mock.callCount()).toBe(0);
    });

    test("an expired token and values that are not tokens; a good token is accepted afterwards", async () => {
      const bad = [{ authToken: signed({ exp: inSeconds(-900) }) }, { authToken: 7 }, { authToken: "" }];
      for (const payload of bad) expect((await initialise(protocol, payload)).code).toBe(4403);
      const { messages } = await initialise(protocol, { authToken: signed() });
      expect(messages[0]).toEqual({ type: "connection_ack" });
    });
  },
);
