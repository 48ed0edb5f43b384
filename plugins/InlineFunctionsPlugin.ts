import "postgraphile";

/**
 * A set-returning function of a table's rows is a table to the planner: it takes joins, so that a whole operation stays
 * one statement, and it is ordered and paged as its table is (`@listOrder`). The engine assumes that the function has an
 * order of its own to keep; ours have not, and PostgreSQL inlines them when they are one plain SQL statement.
 *
 * A function whose own order matters says `@ownOrder`.
 */
export const InlineFunctionsPlugin: GraphileConfig.Plugin = {
  name: "InlineFunctionsPlugin",
  version: "1.0.0",
  gather: {
    hooks: {
      pgProcedures_functionResourceOptions(_info, { pgProc, baseResourceOptions, functionResourceOptions }) {
        const { tags } = pgProc.getTagsAndDescription();
        const returnsRows = functionResourceOptions.returnsSetof && baseResourceOptions.codec.attributes;
        if (returnsRows && !tags.ownOrder) functionResourceOptions.hasImplicitOrder = false;
      },
    },
  },
};
