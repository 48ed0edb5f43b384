import { Arena } from "../../tools/torture/Arena.ts";
import { Service } from "../../tools/torture/Service.ts";
import { everyBackend } from "../../tools/torture/scenarios/killedBackends.ts";
import { mails } from "../../tools/torture/scenarios/mails.ts";
import { useDatabase } from "../support/database.ts";

/* A short `npm run torture -- mails`. */
const database = useDatabase();

test("no mail is lost, and none arrives twice without a reason, while services, database and mail server are killed", async () => {
  const arena = new Arena(database, new Service());
  const interruptDatabase = async () => {
    await arena.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like $1",
      [everyBackend],
    );
  };
  const { counts } = await mails(arena, { mails: 300, rounds: 1, interruptDatabase });
  expect(counts).toMatchObject({ mails: 300, lost: 0, twiceWithoutReason: 0, twiceWithAnotherId: 0, kills: 3 });
});
