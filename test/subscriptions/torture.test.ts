import { createTokenSigner } from "../../src/identity/signToken.ts";
import { Arena } from "../../tools/torture/Arena.ts";
import { everyBackend, killedBackends } from "../../tools/torture/scenarios/killedBackends.ts";
import { testSecret, untilListening, useService } from "../support/service.ts";

/*
 * A short `npm run torture -- all-kills`, without its limits of time. test/messages covers restarts of the database and dropped connections,
 * test/operators/lifecycle restarts of the service, and fanOut.test.ts many subscribers.
 */
// Maintenance tells of changed inboxes.
const service = useService({ maintenanceMinutes: 60 });

test("no message is missed and no error arrives while all backends are killed", async () => {
  const { app, database, url } = service;
  const arena = new Arena(database, {
    url: url.replace("http", "ws"),
    sign: createTokenSigner({ secret: testSecret }),
    untilListening: (count: number) => untilListening(count, app),
  } as Arena["service"]);
  expect(await killedBackends(arena, 3, everyBackend)).toMatchObject({
    counts: { lost: 0, twice: 0, outOfOrder: 0, silent: 0, errors: 0 },
    note: expect.stringMatching(/; 0 sockets closed$/),
  });
});
