import { Agent } from "node:http";
import type { GraphQLSchema } from "graphql";
import { postJson } from "../support/post.ts";
import { Random } from "../support/Random.ts";
import { mutateText } from "./mutateText.ts";
import { type RandomRequest, randomRequest } from "./randomRequest.ts";

export interface FuzzOptions {
  url: string;
  schema: GraphQLSchema;
  /** The header of half of the requests. */
  authorization: string;
  count: number;
  seed: number;
  /** The run ends after this time, even if `count` is not reached. */
  seconds: number;
}

export interface FuzzSummary {
  requests: number;
  /** How many responses had each status and each error code; `data` stands for no error. */
  outcomes: Record<string, number>;
  slowestMs: number;
  /** The requests whose responses are not allowed. */
  findings: { body: string; status: number; text: string; why: string }[];
}

const connections = 8;
/** Internal text, which no response may contain. */
const internalText =
  /node_modules|\bat \S+ \(|app_(public|private|hidden)|pg_catalog|violates|relation "|column "|syntax error at or near|TypeError|RangeError|Grafast/;

/** Sends random requests that fit the schema, some of them damaged, and checks each response. */
export async function fuzz({ url, schema, authorization, count, seed, seconds }: FuzzOptions): Promise<FuzzSummary> {
  const random = new Random(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const summary: FuzzSummary = { requests: 0, outcomes: {}, slowestMs: 0, findings: [] };
  const endAt = Date.now() + seconds * 1_000;
  const known: RandomRequest[] = [];
  let left = count;
  const work = async () => {
    while (left-- > 0 && Date.now() < endAt) {
      const body = randomBody(random, schema, known);
      const isSignedIn = random.chance(0.5);
      const from = performance.now();
      const { status, text } = await postJson(url, agent, body, isSignedIn ? { authorization } : {});
      summary.slowestMs = Math.max(summary.slowestMs, performance.now() - from);
      summary.requests++;
      note(summary, body, status, text);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return summary;
}

/** Most requests repeat a document with other variables: planning a new document takes far longer than running it. */
function randomBody(random: Random, schema: GraphQLSchema, known: RandomRequest[]): string {
  if (known.length < 10 || random.chance(0.05)) known.push(randomRequest(random, schema));
  const { query, variables } = random.pick(known.slice(-200));
  const kind = random.below(10);
  if (kind === 0) return mutateText(random, JSON.stringify({ query, variables: variables() }));
  return JSON.stringify({ query: kind < 3 ? mutateText(random, query) : query, variables: variables() });
}

function note(summary: FuzzSummary, body: string, status: number, text: string): void {
  const why = fault(status, text);
  if (why) summary.findings.push({ body, status, text: text.slice(0, 2_000), why });
  const codes = why === "no JSON" ? [] : codesOf(text);
  for (const outcome of [`status ${status}`, ...(codes.length > 0 ? codes : ["data"])]) {
    summary.outcomes[outcome] = (summary.outcomes[outcome] ?? 0) + 1;
  }
}

function fault(status: number, text: string): string | undefined {
  if (status !== 200 && status !== 400) return `status ${status}`;
  try {
    const { data, errors } = JSON.parse(text);
    if (data === undefined && errors === undefined) return "neither data nor errors";
  } catch {
    return "no JSON";
  }
  if (codesOf(text).includes("INTERNAL_SERVER_ERROR")) return "an internal error";
  // The data holds what clients have written. Only the errors hold text of the service.
  return internalText.test(JSON.stringify(JSON.parse(text).errors ?? "")) ? "internal text" : undefined;
}

function codesOf(text: string): string[] {
  const { errors = [] } = JSON.parse(text);
  return [
    ...new Set<string>(errors.map((error: { extensions?: { code?: string } }) => error.extensions?.code ?? "none")),
  ];
}
