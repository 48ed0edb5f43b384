import type { GrafastFieldConfig } from "postgraphile/grafast";

// biome-ignore lint/suspicious/noExplicitAny: the engine types the plan of each field differently
export type Field = GrafastFieldConfig<any, any, any>;
