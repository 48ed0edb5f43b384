import { setTimeout as delay } from "node:timers/promises";
import { checkConnectionString } from "@content-service/support/connectionString.ts";
import { ensureRoles } from "../../../src/database/ensureRoles.ts";
import { migrate } from "../../../src/database/migrations.ts";
import { type ReplicatedServer, ReplicatedServers } from "../../support/ReplicatedServers.ts";
import { Arena } from "../Arena.ts";
import { ListKeeper } from "../ListKeeper.ts";
import { Service } from "../Service.ts";
import type { Outcome } from "./Outcome.ts";

const keeperCount = 8;
const longestWaitMs = 30_000;

/**
 * The database goes back to a backup, of a stopped server and of a running one in turns, while clients show a chat. In the end, each shows
 * exactly the rows that the database has.
 */
export async function restore(times: number): Promise<Outcome> {
  await using servers = await ReplicatedServers.start({ standbys: 0 });
  const [server] = servers.servers as [ReplicatedServer];
  const ownerUrl = checkConnectionString(server.url);
  const apiUrl = await ensureRoles(ownerUrl);
  await migrate(ownerUrl);
  const service = new Service();
  const arena = new Arena({ ownerUrl, apiUrl }, service);
  await service.start(apiUrl);
  try {
    const chatId = await arena.openChat(keeperCount);
    const say = (count: number) =>
      arena.query(
        "insert into app_public.messages (chat_id, sender_id, text) select $1, $2, 'Hello' from generate_series(1, $3)",
        [chatId, userIds[0], count],
      );
    const userIds = await arena.users(keeperCount);
    const keepers = await Promise.all(
      userIds.map(async (id) => new ListKeeper(service.url, (await service.sign(id, 3_600)).token, chatId)),
    );
    const written = () => arena.written(chatId);
    let wrong = 0;
    for (let turn = 0; turn < times; turn++) {
      await say(2);
      await untilShown(keepers, await written());
      const goBack = await server.backUp(turn % 2 === 0 ? "cold" : "base");
      // In some turns fewer than are written afterwards, in others as many or more.
      await say(3);
      await untilShown(keepers, await written());
      await goBack();
      await say(2 + (turn % 3));
      wrong += await untilShown(keepers, await written());
    }
    for (const keeper of keepers) await keeper.stop();
    const reloads = keepers.reduce((sum, { reloads }) => sum + reloads, 0);
    const counts = {
      "lists that differ from the database": wrong,
      errors: keepers.flatMap(({ errors }) => errors).length,
      "clients that were never told": keepers.filter(({ reloads }) => reloads === 0).length,
    };
    return {
      title: `the database goes back to a backup, ${times} times, while ${keeperCount} clients show a chat`,
      counts,
      note: `lists loaded again: ${reloads}`,
      isGood: Object.values(counts).every((count) => count === 0),
    };
  } finally {
    await service.stop();
  }
}

/** Waits until each client shows these rows. @returns how many do not */
async function untilShown(keepers: readonly ListKeeper[], ids: readonly string[]): Promise<number> {
  const shown = ids.slice(-100).join();
  const differing = () => keepers.filter((keeper) => keeper.ids.slice(-100).join() !== shown).length;
  for (const end = performance.now() + longestWaitMs; differing() > 0 && performance.now() < end; ) await delay(20);
  return differing();
}
