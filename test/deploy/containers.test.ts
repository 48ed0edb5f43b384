import { machineNeeds } from "../../tools/deploy/needs.ts";
import { ports, shortTrials, tryCompose } from "../../tools/deploy/tryCompose.ts";
import { lackOf, machinePrograms } from "../support/machine.ts";

/* The short form of `npm run deploy:try`, where a container engine answers and nothing else uses the ports. */
const isPossible = lackOf(machinePrograms.docker) === undefined && (await machineNeeds(ports)).length === 0;

(isPossible ? test : test.skip)(
  "compose.yaml comes up as it stands, serves by TLS, and gives its containers no more than they need",
  async () => {
    const said: string[] = [];
    await using rest = new AsyncDisposableStack();
    await tryCompose(shortTrials, rest, (line) => said.push(line));
    expect(said.filter((line) => line.startsWith("ok "))).toHaveLength(Object.keys(shortTrials).length);
  },
  1_200_000,
);
