import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { announce, databaseUrl, poolSize } from "./serve.ts";

/* PostGraphile 5 as it comes: the Amber preset and grafserv, without plugins of ours. Its names differ (bench/cases.ts). */
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // Two of our functions have the names of tables, which it refuses.
  disablePlugins: ["PgProceduresPlugin"],
  pgServices: [
    makePgService({ connectionString: databaseUrl, schemas: ["app_public"], poolConfig: { max: poolSize } } as never),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
} as never);
const server = createServer();
await (instance.createServ(grafserv as never) as any).addTo(server);
server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
