import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { pino } from "pino";
import { createRequestPool } from "../../src/database/requestAccess.ts";
import { useDatabase } from "../support/database.ts";

/* Between the pool and the database, somebody who ends each connection in the moment in which it is let in. */
const database = useDatabase();
let server: Server;
let url: string;

const readyForQuery = Buffer.from("Z\0\0\0\x05I", "latin1");
const fields = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
const terminated = Buffer.concat([Buffer.from("E\0\0\0\0"), Buffer.from(fields)]);
terminated.writeInt32BE(terminated.length - 1, 1);

beforeAll(async () => {
  const { hostname, port } = new URL(database.apiUrl);
  server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on("error", () => {}).pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      if (bytes.subarray(-readyForQuery.length).equals(readyForQuery)) client.end(Buffer.concat([bytes, terminated]));
      else client.write(bytes);
    });
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  url = Object.assign(new URL(database.apiUrl), { hostname: "127.0.0.1", port: String(address.port) }).href;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("a connection that the database ends as it lets it in refuses what is asked on it, and the process goes on", async () => {
  const settings = { apiDatabaseUrl: url, poolSize: 2, poolTimeoutMs: 1_000, statementTimeoutMs: 1_000 };
  const pool = createRequestPool(settings, pino({ level: "silent" }));
  const client = await pool.connect();
  await expect(client.query("select")).rejects.toThrow(/connection/i);
  client.release(true);
  await pool.end();
});
