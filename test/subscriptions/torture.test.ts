import { Arena } from "../../tools/torture/Arena.ts";
import { Service } from "../../tools/torture/Service.ts";
import { crowd } from "../../tools/torture/scenarios/crowd.ts";
import { interrupted } from "../../tools/torture/scenarios/interrupted.ts";
import { everyBackend, killedBackends } from "../../tools/torture/scenarios/killedBackends.ts";
import { useDatabase } from "../support/database.ts";

/* A short `npm run torture`, without its limits of time. test/messages covers restarts of the database and dropped connections. */
const database = useDatabase();
const service = new Service();
const good = { counts: { lost: 0, twice: 0, outOfOrder: 0, silent: 0, errors: 0 } };
let arena: Arena;

beforeAll(async () => {
  await service.start(database.apiUrl);
  database.ends.defer(() => service.stop());
  arena = new Arena(database, service);
});

test("no message is missed and no error arrives while all backends are killed", async () => {
  const outcome = await killedBackends(arena, 3, everyBackend);
  expect(outcome).toMatchObject({ ...good, note: expect.stringMatching(/; 0 sockets closed$/) });
});

test("many subscribers receive everything, and leave nothing open", async () => {
  expect(await crowd(arena, 30, 6)).toMatchObject(good);
});

test("clients resume with after when the service has restarted", async () => {
  const restart = async () => {
    await service.stop();
    await service.start(database.apiUrl);
  };
  expect(await interrupted(arena, "a restart", 1, restart)).toMatchObject(good);
});
