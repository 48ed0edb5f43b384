import { globSync, readFileSync, writeFileSync } from "node:fs";
import { minifyIntrospection, outputIntrospectionFile } from "gql.tada/internal";
import { buildSchema, introspectionFromSchema, parse, validate } from "graphql";

/* Writes the schema as a type, from which gql.tada infers, and checks every operation in src/ against the schema. */
const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const schema = buildSchema(read("../../schema.graphql"));
const introspection = minifyIntrospection(introspectionFromSchema(schema));
const types = outputIntrospectionFile(introspection, { fileType: ".d.ts", shouldPreprocess: true });
writeFileSync(new URL("src/graphql-env.d.ts", import.meta.url), types);

const sources = globSync("src/**/*.{ts,tsx}", { cwd: import.meta.dirname }).map(read);
const documents = sources.flatMap((text) =>
  [...text.matchAll(/\bgraphql\(\s*`(.*?)`/gs)].map(([, found = ""]) => found),
);
const errors = validate(schema, parse(documents.join("\n")));
if (errors.length > 0) throw new AggregateError(errors, errors.join("\n\n"));
