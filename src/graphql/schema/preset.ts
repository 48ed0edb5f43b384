import "postgraphile";
import type pg from "pg";
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";
import { plugins } from "../../../plugins/index.ts";
import { type Caller, createWithPgClient } from "../../database/adaptor.ts";

/** What of the engine's reflection the specification has no place for. */
const disablePlugins = [
  // Relay's global ids: `id` is the row's own.
  "NodePlugin",
  "NodeAccessorPlugin",
  "AddNodeInterfaceToSuitableTypesPlugin",
  "PgNodeIdAttributesPlugin",
  "PgTableNodePlugin",
  // `query: Query` inside every answer.
  "QueryQueryPlugin",
  "MutationPayloadQueryPlugin",
  // Writes are functions: nobody inserts, updates or deletes rows as such.
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
  // A part of the schema that cannot be built fails the start instead of going missing.
  "SwallowErrorsPlugin",
];

/**
 * How app_public becomes the API.
 *
 * @param pool connections of the API's login role
 */
export function makePreset(pool: pg.Pool): GraphileConfig.Preset {
  const service = makePgService({
    pool: pool as never,
    schemas: ["app_public"],
    pubsub: false,
    pgSettings: (context) => (context as { caller: Caller }).caller as never,
    // As the login itself: what any of its callers may do is part of the schema, also what only members may.
    pgSettingsForIntrospection: null,
  });
  const adaptor = { ...service.adaptor, createWithPgClient: () => createWithPgClient(pool) };
  return {
    extends: [PostGraphileAmberPreset],
    plugins,
    disablePlugins,
    pgServices: [{ ...service, adaptor } as never],
    schema: {
      // A function that returns rows returns no null in place of one.
      pgForbidSetofFunctionsToReturnNull: true,
      defaultBehavior: "-resource:insert -resource:update -resource:delete +list +connection -orderBy",
    },
    grafast: { explain: false, timeouts: { planning: 1_000, execution: 30_000 } },
  };
}
