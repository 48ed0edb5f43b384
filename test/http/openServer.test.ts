import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { openServer } from "../../src/http/openServer.ts";
import { defaultSettings } from "../../src/settings.ts";

test("a connection that has sent nothing is closed at a stop: balancers and browsers open some in advance", async () => {
  const server = await openServer({ ...defaultSettings, port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const accepted = once(server.server, "connection");
  const socket = connect(port, "127.0.0.1");
  const ended = once(socket, "close");
  await accepted;
  // Patience for days: whatever is waited for fails the test.
  await server.close(2 ** 30);
  await ended;
});
