import { Arena } from "../../tools/torture/Arena.ts";
import { Service } from "../../tools/torture/Service.ts";
import { killAll } from "../../tools/torture/scenarios/calls.ts";
import { mails } from "../../tools/torture/scenarios/mails.ts";
import { useDatabase } from "../support/database.ts";

/* A short `npm run torture -- mails`. */
const database = useDatabase();

test("no mail is lost, and none arrives twice without a reason, while services, database and mail server are killed", async () => {
  const arena = new Arena(database, new Service());
  const { counts } = await mails(arena, { mails: 120, rounds: 1, interruptDatabase: () => killAll(arena) });
  expect(counts).toMatchObject({ mails: 120, lost: 0, twiceWithoutReason: 0, twiceWithAnotherId: 0, kills: 3 });
});
