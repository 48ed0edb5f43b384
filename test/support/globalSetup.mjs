import { mkdtemp, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Starts one throw-away PostgreSQL server for the whole run, or uses the server of TEST_DATABASE_URL (the connection
 * string of a superuser). Each test file clones the template database that is created here.
 */
export default async function setUp() {
  // Imported here, where Node strips the types: Jest's loader does not transform the imports of a global setup.
  const { makeTemplate } = await import("./template.ts");
  const { startEmbeddedPostgres } = await import("../../src/embedded/embedded.ts");
  process.env.GRAPHILE_ENV = "test";
  // Services and commands that tests run as processes of their own load compiled code: half of their start is compiling.
  process.env.NODE_COMPILE_CACHE = await mkdtemp(join(tmpdir(), "content-service-code-"));
  process.env.TEST_SERVERS_FOLDER = await roomyPlace();
  let serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) {
    const dataDir = await mkdtemp(join(process.env.TEST_SERVERS_FOLDER, "content-service-test-"));
    const embedded = await startEmbeddedPostgres({ dataDir, throwaway: true });
    globalThis.stopTestDatabase = embedded.stop;
    serverUrl = embedded.url;
  }
  process.env.TEST_SERVER_URL = serverUrl;
  await makeTemplate(serverUrl);
}

/** Far more than the databases of a run take. */
const roomBytes = 4e9;

/** Memory, if there is enough: hundreds of databases are created and dropped, and a disk's file system takes a tenth of the time for that. */
async function roomyPlace() {
  const memory = "/dev/shm";
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, freemem()) > roomBytes ? memory : tmpdir();
}
