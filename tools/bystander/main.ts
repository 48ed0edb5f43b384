import { Agent } from "node:http";
import { postJson } from "../support/postJson.ts";
import { startThrowAway } from "../support/throwAway.ts";
import { allowed, costly } from "./costly.ts";

// npm run bystander: how long a plain request has to wait beside each of the dearest ones.
const boundMs = 100;
const rounds = 4;
const plain = JSON.stringify({ query: "{ __typename }" });

const service = await startThrowAway({ LOG_LEVEL: "error" });
const authorization = await service.authorizationOf("1");
const agent = new Agent({ keepAlive: true });

const send = async (body: string) => (await postJson(service.url, agent, body, { authorization })).text;

/** Sends a request, and plain ones beside it for as long as it is under way. */
async function measure(body: string): Promise<{ took: number; waited: number; answer: string }> {
  let isOver = false;
  let waited = 0;
  const bystander = async () => {
    while (!isOver) {
      const from = performance.now();
      await send(plain);
      waited = Math.max(waited, performance.now() - from);
    }
  };
  const watching = bystander();
  const from = performance.now();
  const answer = await send(body);
  const took = performance.now() - from;
  isOver = true;
  await watching;
  return { took, waited, answer };
}

interface Row {
  document: string;
  "took ms": number;
  "others waited ms": number;
  code: string;
}

try {
  // A service that has run for a while.
  for (let count = 0; count < 200; count++)
    await send(JSON.stringify({ query: `{ posts(limit: 3) { id a${count}: title } }` }));
  const rows: Row[] = [];
  for (const [document, text] of costly) {
    for (let round = 0; round < rounds; round++) {
      // Not the same text, for which it would remember the plan.
      const { took, waited, answer } = await measure(JSON.stringify({ query: `${text} # ${round}` }));
      const code = /"code":"(\w+)"/.exec(answer)?.[1] ?? "";
      if (code && document in allowed) throw new Error(`${document} is refused, and so shows nothing: ${answer}`);
      rows.push({ document, "took ms": Math.round(took), "others waited ms": Math.round(waited), code });
    }
  }
  rows.sort((one, other) => other["others waited ms"] - one["others waited ms"]);
  console.table(rows.slice(0, 20));
  const longest = rows[0]?.["others waited ms"] ?? 0;
  console.log(
    `${rows.length} requests; the longest that a plain one beside them waited is ${longest} ms of ${boundMs}`,
  );
  process.exitCode = longest <= boundMs ? 0 : 1;
} finally {
  agent.destroy();
  await service.stop();
}
