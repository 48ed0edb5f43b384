import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * One database server for the whole run, thrown away behind it: a real PostgreSQL, embedded, or the one that
 * TEST_DATABASE_URL names (a superuser's connection string). Each test file clones the template that is made here.
 */
export default async function setUp() {
  // Imported here and not above: Node strips the types, Jest's own loader is not there yet.
  const { makeTemplate } = await import("./template.ts");
  const { startEmbeddedPostgres } = await import("../../src/embedded/embedded.ts");
  process.env.GRAPHILE_ENV = "test";
  let serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) {
    const dataDir = await mkdtemp(join(tmpdir(), "content-service-test-"));
    const embedded = await startEmbeddedPostgres({ dataDir, throwaway: true });
    globalThis.stopTestDatabase = embedded.stop;
    serverUrl = embedded.url;
  }
  process.env.TEST_SERVER_URL = serverUrl;
  await makeTemplate(serverUrl);
}
