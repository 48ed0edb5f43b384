import { version } from "./support/version.ts";
/**
 * Treats a function that returns a table's rows like the table: the engine may join it, so that an operation stays one
 * statement, and it is ordered and paged like the table (`@listOrder`). PostgreSQL inlines such a function when its
 * body is one plain SQL statement. By default, the engine keeps the order that the function returns and cannot join it.
 *
 * A function with `returns setof … rows 1` returns one row, or none: PostgreSQL does not inline it as `returns shop.products`.
 */
export const InlineFunctionsPlugin: GraphileConfig.Plugin = {
  name: "InlineFunctionsPlugin",
  version,
  description: "Orders and pages functions that return rows as their table.",
  gather: {
    hooks: {
      pgProcedures_functionResourceOptions(_info, { pgProc, baseResourceOptions, functionResourceOptions }) {
        if (!functionResourceOptions.returnsSetof || !baseResourceOptions.codec.attributes) return;
        functionResourceOptions.hasImplicitOrder = false;
        if (pgProc.prorows === 1) functionResourceOptions.returnsSetof = false;
      },
    },
  },
};
