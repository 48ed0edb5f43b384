import { constants, setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Attacker, type Place } from "./Attacker.ts";
import { attacks } from "./attacks/index.ts";

/* Runs one attack in its own process, so that the attacker's work does not delay the bystander's clock. See measureAttacks.ts. */

/** A stop waits this long for the answers that the attack needs. */
const longestRestMs = 120_000;

const [name = "", place = ""] = process.argv.slice(2);
const attack = attacks[name];
if (!attack) throw new Error(`No attack ${name}`);
// A real attacker has a machine of its own. Here, the service and the database come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const over = new AbortController();
const attacker = new Attacker(JSON.parse(place) as Place, over.signal);

process.on("disconnect", () => process.exit());
process.once("message", async () => {
  const { leastAnswers = 0 } = attack;
  const until = performance.now() + longestRestMs;
  while (attacker.answers < leastAnswers && !attacker.outcomes["no answer"] && performance.now() < until)
    await delay(50);
  over.abort();
  process.send?.(attacker.outcomes, () => process.exit());
});
process.send?.("begun");
await attack.run(attacker).catch((error) => {
  if (!over.signal.aborted) attacker.note(`failed: ${error.message}`);
});
