import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JWK } from "jose";

export interface KeyServer {
  url: string;
  /** The keys that it serves. */
  keys: JWK[];
  /** The response instead of the keys, when set. */
  answer: { status: number; body: string; location?: string } | undefined;
  /** Requests are answered when it resolves, if it is set. */
  held?: Promise<void>;
  /** The paths of the requests since the test began. */
  requests: string[];
}

/** Starts an HTTP server for this test file that serves a JWKS and records its requests. */
export function useKeyServer(): KeyServer {
  const keyServer: KeyServer = { url: "", keys: [], answer: undefined, requests: [] };
  const server = createServer(async (request, response) => {
    keyServer.requests.push(request.url ?? "");
    await keyServer.held;
    const { status, body, location } = keyServer.answer ?? {
      status: 200,
      body: JSON.stringify({ keys: keyServer.keys }),
    };
    response.writeHead(status, {
      "content-type": "application/json",
      connection: "close",
      ...(location && { location }),
    });
    response.end(body);
  });
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    keyServer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
  });
  beforeEach(() => {
    keyServer.requests = [];
    keyServer.answer = undefined;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  return keyServer;
}
