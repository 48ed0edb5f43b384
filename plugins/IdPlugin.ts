import { rowId } from "@content-service/support/rowId.ts";
import "postgraphile";
import { listOfCodec, TYPES } from "postgraphile/@dataplan/pg";
import { version } from "./support/version.ts";

const bigintOid = "20";
const bigintArrayOid = "1016";

const idCodec = { ...TYPES.bigint, toPg: (given: unknown) => rowId(String(given)) };

/**
 * Every bigint is an `ID`: a decimal string, so that no client loses digits. Use `int` in SQL for
 * numbers; it becomes `Int`.
 */
export const IdPlugin: GraphileConfig.Plugin = {
  name: "IdPlugin",
  version,
  description: "Makes every bigint an ID.",
  before: ["PgCodecsPlugin"],
  gather: {
    hooks: {
      pgCodecs_findPgCodec(_info, event) {
        if (event.pgType._id === bigintOid) event.pgCodec = idCodec;
        if (event.pgType._id === bigintArrayOid) event.pgCodec = listOfCodec(idCodec);
      },
    },
  },
  schema: {
    hooks: {
      init: {
        before: ["PgCodecs"],
        callback(init, build) {
          build.setGraphQLTypeForPgCodec(idCodec, ["input", "output"], build.graphql.GraphQLID.name);
          return init;
        },
      },
    },
  },
};
