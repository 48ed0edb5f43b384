import { createServer } from "node:http";
import express from "express";
import { migrate, readMigrations } from "graphile-migrate-review/migrate";
import pg from "pg";
import { postgraphile } from "postgraphile";
import { grafserv } from "postgraphile/grafserv/express/v4";
import { ownerUrl } from "./connections.mjs";

// #region graphile-migrate-review
await migrate(ownerUrl, readMigrations(import.meta.dirname));
// #endregion

const owner = new pg.Client(ownerUrl);
if (owner.password) {
  await owner.connect();
  await owner.query(`alter role shop_login password ${owner.escapeLiteral(owner.password)}`);
  await owner.end();
}

// Its connections want the migrated database.
const { default: preset } = await import("./graphile.config.mjs");
const app = express();
const server = createServer(app);
await postgraphile(preset).createServ(grafserv).addTo(app, server);
server.listen(process.env.PORT ?? 4000, () => console.log(`http://localhost:${server.address().port}/graphql`));
