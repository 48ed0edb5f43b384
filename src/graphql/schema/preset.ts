import type { RequestAccess } from "../../database/requestAccess.ts";
import "postgraphile";
import { notFound } from "@content-service/errors/ApiError.ts";
import type pg from "pg";
import { makePgService } from "postgraphile/adaptors/pg";
import { changeFeedPlugin } from "postgraphile-change-feed";
import { makePreset as makeCompiledPreset } from "postgraphile-compiled-preset";
import { describeEventRow, descriptionsOf, presentRow, writeNodeId } from "postgraphile-compiled-preset/plugin";
import { AccessTokenPlugin } from "./AccessTokenPlugin.ts";
import { CacheTagsPlugin } from "./CacheTagsPlugin.ts";
import { FieldExtensionsPlugin } from "./FieldExtensionsPlugin.ts";

/** The values of `extensions.reason` that the service gives. Functions have others: `@unauthorizedWhenNull`. */
const errorReasons = {
  BANNED: "The account is banned: the message says why.",
  LAST_ADMIN: "The user is the last admin, who stays until there is another one.",
  MAY_NOT_PUBLISH: "The role of the user has not the right PUBLISH.",
  TOKEN_EXPIRED: "The access token has expired. Refresh the session.",
  TOKEN_INVALID:
    "The access token is not valid, or has ended with a session, or its user is deleted or banned. Sign in.",
  NO_PASSWORD: "The account has no password. The first one needs a mail, or a new token of an identity provider.",
  NO_ACCOUNT: "The access token of an identity provider is good, but its person has no account here.",
  INCREMENTAL_DELIVERY_NOT_SUPPORTED: "Of @defer and @stream: send the document without them.",
  BATCH_NOT_SUPPORTED: "Of a list of requests: send them one by one.",
};

/** The plugins that stand beside the preset's. */
const plugins: GraphileConfig.Plugin[] = [
  AccessTokenPlugin,
  FieldExtensionsPlugin,
  CacheTagsPlugin,
  changeFeedPlugin({
    descriptionsOf,
    presentRow: presentRow(notFound),
    nodeId: writeNodeId,
    describeRow: describeEventRow,
  }),
];

const disablePlugins = [
  // Tokens are signed by the service. The plugin asks each type whether it is one, in a fourteenth of the build's time.
  "PgJWTPlugin",
  // executeOperation() passes the caller's access to the database in the context itself.
  "PgContextPlugin",
  // executeOperation() runs compiled statements itself, and asks the database for what a constraint says.
  "CompiledOperationsPlugin",
  "ConstraintErrorsPlugin",
];

/** How app_public becomes the API. */
export function makePreset(pool: pg.Pool, { asLogin }: RequestAccess): GraphileConfig.Preset {
  const service = makePgService({
    pool: pool as never,
    schemas: ["app_public"],
    pubsub: false,
    // Read as the login itself: the schema contains what any of its callers may do.
    pgSettingsForIntrospection: null,
  });
  const adaptor = { ...service.adaptor, createWithPgClient: () => asLogin };
  return {
    extends: [makeCompiledPreset({ errorReasons })],
    plugins,
    disablePlugins,
    pgServices: [{ ...service, adaptor } as never],
    grafast: { explain: false, timeouts: { planning: 1_000, execution: 30_000 } },
  };
}
