import type { Service } from "./commands/Service.ts";

/** The service, as the `db:` commands know it. Each part is loaded when a command needs it. */
export const service: Service = {
  async readSchema(apiDatabaseUrl, ...plugins) {
    const { readSchema } = await import("./commands/readSchema.ts");
    return readSchema(apiDatabaseUrl, ...plugins);
  },
  async explainOperation(apiDatabaseUrl, ...operation) {
    const [{ readSchema }, { explainOperation }] = await Promise.all([
      import("./commands/readSchema.ts"),
      import("./explain/explainOperation.ts"),
    ]);
    return explainOperation(await readSchema(apiDatabaseUrl), apiDatabaseUrl, ...operation);
  },
  async borrowEmbeddedPostgres(dataDir) {
    const { borrowEmbeddedPostgres } = await import("../embedded/embedded.ts");
    return borrowEmbeddedPostgres(dataDir);
  },
  sampleContentFile: "src/migrations/sample-content.sql",
  async loadSampleContent(ownerUrl, file) {
    const { loadSampleContent } = await import("../migrations/sampleContent.ts");
    return loadSampleContent(ownerUrl, file);
  },
};
