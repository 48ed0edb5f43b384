import { createPool, makeDatabaseAccess } from "pg-caller-pool";
import { makePgService } from "postgraphile/adaptors/pg";
import { changeFeedPlugin, FeedReader } from "postgraphile-change-feed";
import compiledPreset from "postgraphile-compiled-preset";
import { loginUrl } from "./connections.mjs";

// #region pg-caller-pool
const pool = createPool({ connectionString: loginUrl });
const database = makeDatabaseAccess(pool);
const withPgClient = (pgSettings, work) =>
  pgSettings
    ? database.as({ quotaKey: pgSettings["app.viewer_id"], settings: pgSettings })(null, work)
    : database.asLogin(null, work);
const service = makePgService({ pool, schemas: ["shop"] });
const pgService = { ...service, adaptor: { ...service.adaptor, createWithPgClient: () => withPgClient } };
// #endregion

// #region postgraphile-change-feed
const reader = await FeedReader.open({ connectionString: loginUrl });
// #endregion

/** Stands in for your authentication: the id of the customer, from a header or from the payload of `connection_init`. */
const customerOf = ({ ws, node }) => ws?.normalizedConnectionParams?.["x-customer"] ?? node?.req.headers["x-customer"];

/** @type {GraphileConfig.Preset} */
export default {
  // #region postgraphile-compiled-preset
  extends: [compiledPreset],
  // #endregion
  pgServices: [pgService],
  grafserv: {
    graphqlPath: "/graphql",
    // #region postgraphile-change-feed
    websockets: true,
    // #endregion
  },
  // #region postgraphile-change-feed
  plugins: [changeFeedPlugin({ reader })],
  // #endregion
  grafast: {
    context(requestContext) {
      const customer = customerOf(requestContext);
      const role = customer ? "shop_customer" : "shop_visitor";
      return {
        pgSettings: { role, "app.viewer_id": customer ?? "" },
        // #region postgraphile-change-feed
        viewerId: customer,
        // #endregion
      };
    },
  },
};
