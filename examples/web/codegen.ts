import { fileURLToPath } from "node:url";
import type { CodegenConfig } from "@graphql-codegen/cli";

/** The path of a file, from this folder. */
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Checks every operation in src/ against the schema, and writes its types to src/gql/. */
const config: CodegenConfig = {
  schema: path("../../schema.graphql"),
  documents: path("src/**/*.{ts,tsx}"),
  generates: {
    [path("src/gql/")]: {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        useTypeImports: true,
        scalars: { ID: "string", Timestamp: "string", Cursor: "string", JSON: "unknown" },
      },
    },
  },
};

export default config;
