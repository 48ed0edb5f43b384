import { readOptions } from "../support/readOptions.ts";
import { attacks } from "./attacks/index.ts";
import { measureAttacks } from "./measureAttacks.ts";

const names = Object.keys(attacks);
const { seconds, positionals: wanted } = readOptions({
  script: "bystander",
  purpose:
    "Compares the latency of a bystander alone with the latency beside one attacker at its limits. Each phase lasts --seconds. " +
    "No p50 may be more than twice as long. Names of attacks run only these. Exits with status 1 if a bound is broken. Attacks:\n" +
    Object.entries(attacks)
      .map(([name, { title }]) => `  ${name}: ${title}`)
      .join("\n"),
  numbers: { seconds: 6 },
  positionals: "[attack …]",
  known: names,
});
process.exitCode = (await measureAttacks(wanted.length > 0 ? wanted : names, seconds)) ? 0 : 1;
