import { chmod, mkdir, mkdtemp, readFile, rm, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Starts one throw-away PostgreSQL server for the whole run, or uses the server of TEST_DATABASE_URL (the connection
 * string of a superuser). Each test file clones the template database that is created here.
 */
export default async function setUp() {
  // Imported here, where Node strips the types: Jest's loader does not transform the imports of a global setup.
  const { completeTemplate, makeCluster, makeTemplate, onServer } = await import("./template.ts");
  const { startThrowAwayPostgres } = await import("../../tools/support/throwAwayPostgres.ts");
  const { ensureRoles } = await import("../../src/database/ensureRoles.ts");
  const { copyMadeDatabase } = await import("../../tools/support/dataDirectory.ts");
  process.env.GRAPHILE_ENV = "test";
  // The throw-away server deletes its directory when this process ends, however that happens. So all that tests write is in there.
  const directory = await mkdtemp(join(await roomyPlace(), "content-service-test-"));
  // PostgreSQL's user comes in, too.
  await chmod(directory, 0o755);
  process.env.TEST_MADE_DATABASE = join(directory, "made");
  process.env.TMPDIR = join(directory, "tmp");
  process.env.TEST_COMPILE_CACHE = join(directory, "code");
  await mkdir(process.env.TMPDIR);
  await makeCluster(process.env.TEST_MADE_DATABASE);
  let serverUrl = process.env.TEST_DATABASE_URL;
  if (serverUrl) {
    await makeTemplate(serverUrl);
    globalThis.endTests = () => rm(directory, { recursive: true });
  } else {
    copyMadeDatabase(directory);
    // The copy has closed it.
    await chmod(directory, 0o755);
    const embedded = await startThrowAwayPostgres(directory);
    // The migrations let only the roles of the service connect; tests have logins of their own.
    await onServer(embedded.url, "grant connect, temporary on database postgres to public");
    globalThis.endTests = embedded.stop;
    serverUrl = embedded.url;
  }
  await completeTemplate(serverUrl);
  process.env.TEST_SERVER_URL = serverUrl;
  process.env.TEST_API_URL = await ensureRoles(serverUrl);
}

/** Far more than the databases of a run take. */
const roomBytes = 4e9;

/**
 * Memory, if there is enough, and programs may run there: hundreds of databases are created and dropped, and a disk's file
 * system takes ten times as long for that.
 */
async function roomyPlace() {
  const memory = "/dev/shm";
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  const mounts = await readFile("/proc/self/mounts", "utf8").catch(() => "");
  const isRoomy = Math.min(bavail * bsize, freemem()) > roomBytes;
  return isRoomy && !/ \/dev\/shm \S+ \S*\bnoexec\b/.test(mounts) ? memory : tmpdir();
}
