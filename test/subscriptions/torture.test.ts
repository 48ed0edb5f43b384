import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Arena } from "../../tools/torture/Arena.ts";
import { Service } from "../../tools/torture/Service.ts";
import { crowd } from "../../tools/torture/scenarios/crowd.ts";
import { interrupted } from "../../tools/torture/scenarios/interrupted.ts";
import { everyBackend, killedBackends } from "../../tools/torture/scenarios/killedBackends.ts";
import { transactions } from "../../tools/torture/scenarios/transactions.ts";
import { useDatabase } from "../support/database.ts";

/* `npm run torture`, shorter: test/messages restarts the database and drops connections. */
const database = useDatabase();
const service = new Service();
const good = { counts: { lost: 0, twice: 0, outOfOrder: 0, silent: 0, errors: 0 }, isGood: true };
let arena: Arena;

beforeAll(async () => {
  await service.start(database.apiUrl);
  const noRestart = () => Promise.reject(new Error("This server is everybody's"));
  arena = new Arena({ ...database, restart: noRestart, absent: noRestart }, service);
});
afterAll(() => service.stop());

test("nothing is missed while all backends are killed, and no error comes in place of a message", async () => {
  expect(await killedBackends(arena, 5, everyBackend)).toMatchObject(good);
});

test("what many transactions commit comes once, in order, and nothing that they undo", async () => {
  expect(await transactions(arena, 10, 20)).toMatchObject(good);
});

test("a crowd hears everything, and leaves nothing in memory", async () => {
  expect(await crowd(arena, 100, 20)).toMatchObject(good);
});

test("clients go on with after where a restarted service had left them", async () => {
  const restart = async () => {
    await service.stop();
    await service.start(database.apiUrl);
  };
  expect(await interrupted(arena, "a restart", 1, restart)).toMatchObject(good);
});
