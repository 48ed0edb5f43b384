import type { Service } from "@content-service/migration-review/commands/Service.ts";

/** The service, as the `db:` commands know it. Each part is loaded when a command needs it. */
export const service: Service = {
  async readSchema(apiDatabaseUrl, ...plugins) {
    const { readSchema } = await import("./readSchema.ts");
    return readSchema(apiDatabaseUrl, ...plugins);
  },
  async explainOperation(apiDatabaseUrl, ...operation) {
    const [{ readSchema }, { explainOperation }] = await Promise.all([
      import("./readSchema.ts"),
      import("./explainOperation.ts"),
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
