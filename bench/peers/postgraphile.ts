import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { jsonPgSmartTags } from "postgraphile/utils";
import { announce, databaseUrl, poolSize, secret } from "./serve.ts";
import { verifyUser } from "./token.ts";

/* PostGraphile 5 as it comes: the Amber preset and grafserv, without plugins of ours. Its names differ (bench/cases.ts). */
const shown = { tags: { backwardBehavior: "+connection" } };
const ofUser = async ({ node }: Partial<Grafast.RequestContext>) => ({
  pgSettings: { role: "api_member", "app.viewer_id": await verifyUser(node?.req.headers.authorization) },
});
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // Two of our functions have the names of tables, which it refuses. Our indexes and comments hide what its names need.
  disablePlugins: ["PgProceduresPlugin", "PgIndexBehaviorsPlugin", "PgSmartCommentsPlugin"],
  plugins: [
    jsonPgSmartTags({ version: 1, config: { constraint: { "app_public.post_tags.post_tags_post_id_fkey": shown } } }),
  ],
  pgServices: [
    makePgService({ connectionString: databaseUrl, schemas: ["app_public"], poolConfig: { max: poolSize } } as never),
  ],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false, ...(secret && { context: ofUser }) },
} as never);
const server = createServer();
await (instance.createServ(grafserv as never) as any).addTo(server);
server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
