import { readOptions } from "../support/readOptions.ts";
import { attacks } from "./attacks/index.ts";
import { measureAttacks } from "./measureAttacks.ts";
import { measureDocuments } from "./measureDocuments.ts";

const names = Object.keys(attacks);
const {
  rounds,
  seconds,
  positionals: wanted,
} = readOptions({
  script: "bystander",
  purpose:
    "Measures what one client costs the others.\n" +
    "documents: runs the most expensive documents that the limits allow, each --rounds times. No plain request may wait " +
    "more than 100 ms meanwhile.\n" +
    "attacks: compares the latency of a bystander alone with the latency beside one attacker at its limits. Each phase " +
    "lasts --seconds. No ratio may be above 2.\n" +
    "Names of attacks run only these; without a name, everything runs. Exits with status 1 if a bound is broken. Attacks:\n" +
    Object.entries(attacks)
      .map(([name, { title }]) => `  ${name}: ${title}`)
      .join("\n"),
  numbers: { rounds: 4, seconds: 6 },
  positionals: "[documents | attacks | attack …]",
});
const unknown = wanted.filter((name) => !["documents", "attacks", ...names].includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}. Choose from: documents, attacks, ${names.join(", ")}`);
  process.exit(2);
}

const isWanted = (...those: string[]) => wanted.length === 0 || those.some((name) => wanted.includes(name));
const chosen = names.filter((name) => isWanted("attacks", name));
let isGood = true;
if (isWanted("documents")) isGood = await measureDocuments(rounds);
if (chosen.length > 0) isGood = (await measureAttacks(chosen, seconds)) && isGood;
process.exitCode = isGood ? 0 : 1;
