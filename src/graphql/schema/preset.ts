import type { RequestAccess } from "../../database/requestAccess.ts";
import "postgraphile";
import type pg from "pg";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { plugins } from "../../../plugins/index.ts";

/** Parts of the engine that the specification has no place for. */
const disablePlugins = [
  // Global ids as arguments of anything but node(nodeId:).
  "NodeAccessorPlugin",
  "PgNodeIdAttributesPlugin",
  // Query as a Node, which Relay needed before its version 2.
  "RegisterQueryNodePlugin",
  // `query: Query` in every payload.
  "QueryQueryPlugin",
  "MutationPayloadQueryPlugin",
  // Writes are functions; there are no generated insert, update and delete mutations.
  "PgMutationCreatePlugin",
  "PgMutationUpdateDeletePlugin",
  "PgMutationPayloadEdgePlugin",
  // Lists have one order, one way of paging, and the filters that SQL names.
  "PgFirstLastBeforeAfterArgsPlugin",
  "PgConditionArgumentPlugin",
  "PgConditionCustomFieldsPlugin",
  "PgConnectionArgOrderByPlugin",
  "PgConnectionArgOrderByDefaultValuePlugin",
  "PgOrderAllAttributesPlugin",
  "PgOrderByPrimaryKeyPlugin",
  "PgOrderCustomFieldsPlugin",
  // A part of the schema that cannot be built fails the start; it is not left out.
  "SwallowErrorsPlugin",
  // Tokens are signed by the service. The plugin asks each type whether it is one, in a fourteenth of the build's time.
  "PgJWTPlugin",
  // executeOperation() passes the caller's access to the database in the context itself.
  "PgContextPlugin",
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
    extends: [PostGraphileAmberPreset],
    plugins,
    disablePlugins,
    pgServices: [{ ...service, adaptor } as never],
    schema: {
      // A function that returns rows never returns null in place of a row.
      pgForbidSetofFunctionsToReturnNull: true,
      defaultBehavior: "-resource:insert -resource:update -resource:delete +list +connection -orderBy",
    },
    grafast: { explain: false, timeouts: { planning: 1_000, execution: 30_000 } },
  };
}
