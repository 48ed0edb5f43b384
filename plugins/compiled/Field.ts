import type { GrafastFieldConfig } from "postgraphile/grafast";

/** A field, as hooks get and return it. */
// biome-ignore lint/suspicious/noExplicitAny: the engine types the plan of each field differently
export type Field = GrafastFieldConfig<any, any, any>;
