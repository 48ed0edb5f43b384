import { Agent } from "node:http";
import { postJson } from "../support/post.ts";
import { startThrowAwayService } from "../support/throwAwayService.ts";
import { allowed, costly } from "./costly.ts";

const maxWaitMs = 100;
const plain = JSON.stringify({ query: "{ __typename }" });

interface Row {
  document: string;
  "took ms": number;
  "others waited ms": number;
  code: string;
}

/**
 * Runs the most expensive documents that the limits allow, each `rounds` times, and measures how long plain requests wait
 * meanwhile.
 *
 * @returns whether none waited more than 100 ms
 */
export async function measureDocuments(rounds: number): Promise<boolean> {
  await using service = await startThrowAwayService({ LOG_LEVEL: "error" });
  const authorization = await service.authorizationOf("1");
  const agent = new Agent({ keepAlive: true });
  const send = async (body: string) => (await postJson(service.url, agent, body, { authorization })).text;
  // Warm up, as a service that has run for a while.
  for (let count = 0; count < 200; count++)
    await send(JSON.stringify({ query: `{ posts(limit: 3) { id a${count}: title } }` }));
  const rows: Row[] = [];
  for (const [document, text] of costly) {
    for (let round = 0; round < rounds; round++) {
      // A new text, because the service caches the plan of a known one.
      const { took, waited, answer } = await measure(send, JSON.stringify({ query: `${text} # ${round}` }));
      const code = /"code":"(\w+)"/.exec(answer)?.[1] ?? "";
      if (code && document in allowed) throw new Error(`${document} is refused, so it measures nothing: ${answer}`);
      rows.push({ document, "took ms": Math.round(took), "others waited ms": Math.round(waited), code });
    }
  }
  rows.sort((one, other) => other["others waited ms"] - one["others waited ms"]);
  console.table(rows.slice(0, 20));
  const longest = rows[0]?.["others waited ms"] ?? 0;
  console.log(
    `${rows.length} requests; the longest wait of a plain request was ${longest} ms, ${maxWaitMs} ms are allowed`,
  );
  agent.destroy();
  return longest <= maxWaitMs;
}

/** Sends a request, and plain requests one after the other until it is answered. */
async function measure(
  send: (body: string) => Promise<string>,
  body: string,
): Promise<{ took: number; waited: number; answer: string }> {
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
