import { once } from "node:events";
import { TokenBucket } from "@content-service/support/TokenBucket.ts";
import { frame, opcodes, RawSocket } from "../support/RawSocket.ts";
import { type TestService, useService } from "../support/service.ts";

/* A client that sends more than its allowance is read no faster. Nothing that it sends is lost, and nobody else waits. */
const strict = useService({ trustProxy: "loopback", socketLimits: { unitsPerSecond: 10 } });
const generous = useService({ trustProxy: "loopback", socketLimits: { unitsPerSecond: 1_000 } });
const sockets: RawSocket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function open({ url }: TestService, from: string): Promise<RawSocket> {
  const socket = await RawSocket.open(url, {
    protocol: "graphql-transport-ws",
    headers: { "X-Forwarded-For": from },
  });
  sockets.push(socket);
  socket.say({ type: "connection_init" });
  expect(await socket.messages.next()).toEqual({ type: "connection_ack" });
  return socket;
}

async function roundTrips(socket: RawSocket, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    socket.say({ type: "ping" });
    expect(await socket.messages.next()).toEqual({ type: "pong" });
  }
}

test("a token bucket gives a burst at once, and then as much as it earns", () => {
  let now = 0;
  const bucket = new TokenBucket(10, 50, () => now);
  expect(bucket.take(50)).toBe(0);
  expect(bucket.take(1)).toBe(100);
  expect(bucket.take(1)).toBe(200);
  now = 200;
  expect(bucket.take(0)).toBe(0);
  expect(bucket.take(10)).toBe(1_000);
  now = 60_000;
  expect(bucket.take(50)).toBe(0);
  expect(bucket.take(1)).toBe(100);
});

test("a flood of pings is not read, and does not keep others waiting", async () => {
  const flood = await open(strict, "192.0.2.1");
  let pongBytes = 0;
  flood.socket.on("data", (bytes) => {
    pongBytes += bytes.length;
  });
  const ping = frame("", { opcode: opcodes.ping });
  flood.write(Buffer.concat(Array.from({ length: 1_000_000 }, () => ping)));
  for (let n = 1; n <= 10; n++) await roundTrips(await open(strict, `198.51.100.${n}`), 10);
  // What one read of the connection brings, 64 KB, is answered. A pong has two bytes.
  const pingsPerRead = Math.ceil(65_536 / ping.length);
  expect(pongBytes).toBeLessThan(2 * 2 * pingsPerRead);

  // The allowance of the address is used up: five seconds of ten sockets.
  while (pongBytes < 2 * 1_000) await once(flood.socket, "data");
  const same = await open(strict, "192.0.2.1");
  same.say({ type: "ping" });
  for (let n = 1; n <= 10; n++) await roundTrips(await open(strict, `198.51.100.${n}`), 2);
  expect(same.messages.all).toEqual([{ type: "connection_ack" }]);
});

test("what comes faster than allowed is answered later", async () => {
  const socket = await open(generous, "192.0.2.2");
  socket.say(...Array.from({ length: 6_000 }, () => ({ type: "ping" })));
  expect(await socket.messages.take(6_000)).toEqual(Array.from({ length: 6_000 }, () => ({ type: "pong" })));
});

test("refused operations of one socket share lines in the log", async () => {
  const socket = await open(generous, "192.0.2.3");
  for (let id = 0; id < 300; id++) {
    socket.say({ type: "subscribe", id: String(id), payload: { query: "{ nothing }" } });
    expect(await socket.messages.next()).toMatchObject({ type: "error" });
  }
  const lines = () => generous.logged.filter(({ msg }) => msg === "operation");
  const counted = () => lines().reduce((sum, { refused }) => sum + Number(refused ?? 1), 0);
  socket.destroy();
  while (counted() < 300) await generous.told("operation");
  expect(counted()).toBe(300);
  expect(lines().length).toBeLessThan(20);
});
