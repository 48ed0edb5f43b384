import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import preset from "../index.ts";

/* One of the servers of throughput.ts. */
const pgServices = [makePgService({ connectionString: process.env["DATABASE_URL"] as string, schemas: ["shop"] })];
const context = () => ({ pgSettings: { role: "shop_visitor" } });
const instance = postgraphile({
  extends: [process.argv[2] === "stock" ? PostGraphileAmberPreset : preset],
  pgServices,
  grafserv: { graphqlPath: "/graphql" },
  grafast: { context, explain: false },
});
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`);
});
