import "postgraphile";
import type {} from "graphile-build-pg";
import { listOfCodec, TYPES } from "postgraphile/@dataplan/pg";

const bigintOid = "20";
const bigintArrayOid = "1016";
const largest = 2n ** 63n - 1n;

/** No row has this id: identity columns begin at 1. */
const nobody = "0";

/** An id that cannot be one ("abc", "", "007", 2^63) finds nothing, as any other that is not there. */
function idToPg(given: unknown): string {
  const text = String(given);
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= largest ? text : nobody;
}

const idCodec = { ...TYPES.bigint, toPg: idToPg };

/**
 * Every bigint is an `ID`: a decimal string, so that no client loses digits (specification 2). A number to count with is
 * an `int` in SQL, and then an `Int` here.
 */
export const IdPlugin: GraphileConfig.Plugin = {
  name: "IdPlugin",
  version: "1.0.0",
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
