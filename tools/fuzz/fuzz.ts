import { Agent } from "node:http";
import { Random } from "@content-service/testing/Random.ts";
import { type GraphQLSchema, lexicographicSortSchema } from "graphql";
import { post, postJson } from "../support/post.ts";
import { fuzzSubscriptions } from "./fuzzSubscriptions.ts";
import { mutateText } from "./mutateText.ts";
import { oddRequest, type RandomRequest } from "./plainRequest.ts";

export interface FuzzOptions {
  url: string;
  schema: GraphQLSchema;
  /** The headers of users, none of them an admin. A third of the requests has none. */
  authorizations: string[];
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
const requestsPerSubscription = 50;
/** Longer than each time-out of the service. */
const longestMs = 30_000;
/** Internal text, which no response may contain. */
const internalText =
  /node_modules|\bat \S+ \(|app_(public|private|hidden)|pg_catalog|violates|relation "|column "|syntax error at or near|TypeError|RangeError|Grafast/;

/** A text that JavaScript prints for its own functions. */
const functionText = /\[native code\]/;

/** The sender of a request. */
interface Caller {
  authorization?: string;
  /** Shown to nobody else. */
  email?: string;
}

/** Sends random requests that fit the schema, some of them damaged, and checks each response. */
export async function fuzz(options: FuzzOptions): Promise<FuzzSummary> {
  const { url, authorizations, count, seed, seconds } = options;
  // The order of the fields differs from build to build, and the same seed shall give the same requests.
  const schema = lexicographicSortSchema(options.schema);
  const random = new Random(seed);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const summary: FuzzSummary = { requests: 0, outcomes: {}, slowestMs: 0, findings: [] };
  const endAt = Date.now() + seconds * 1_000;
  const callers: Caller[] = [{}];
  for (const authorization of authorizations) {
    const { data } = await post(url, "{ me { email } }", { authorization });
    callers.push({ authorization, email: data.me.email });
  }
  const subscriptions = Math.ceil(count / requestsPerSubscription);
  const frames = await fuzzSubscriptions({
    url,
    authorization: authorizations[0] ?? "",
    count: subscriptions,
    random,
    endAt,
  });
  for (const { sent, received } of frames) {
    const why = internalText.test(received) ? "internal text" : problemOfSubscription(received);
    if (why) summary.findings.push({ body: sent, status: 0, text: received.slice(0, 2_000), why });
  }
  summary.outcomes.subscriptions = frames.length;
  const known: RandomRequest[] = [];
  let left = count;
  const work = async () => {
    while (left-- > 0 && Date.now() < endAt) {
      const body = randomBody(random, schema, known);
      const caller = random.pick(callers);
      const secrets = callers.flatMap(({ email }) => (email && email !== caller.email ? [email] : []));
      const from = performance.now();
      const signal = AbortSignal.timeout(longestMs);
      const { authorization } = caller;
      const { status, text } = await postJson(url, agent, body, { authorization, signal }).catch((error) => ({
        status: 0,
        text: `${error}`,
      }));
      summary.slowestMs = Math.max(summary.slowestMs, performance.now() - from);
      summary.requests++;
      note(summary, body, status, text, secrets);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return summary;
}

function problemOfSubscription(received: string): string | undefined {
  if (received === "" || received.startsWith("closed")) return "no answer";
  return received.includes("INTERNAL_SERVER_ERROR") ? "an internal error" : undefined;
}

/** Most requests repeat a document with other variables: planning a new document takes far longer than running it. */
function randomBody(random: Random, schema: GraphQLSchema, known: RandomRequest[]): string {
  if (known.length < 10 || random.chance(0.05)) known.push(oddRequest(random, schema));
  const { query, variables } = random.pick(known.slice(-200));
  const kind = random.below(10);
  if (kind === 0) return mutateText(random, JSON.stringify({ query, variables: variables() }));
  return JSON.stringify({ query: kind < 3 ? mutateText(random, query) : query, variables: variables() });
}

function note(summary: FuzzSummary, body: string, status: number, text: string, secrets: string[]): void {
  const why = problemOf(status, text) ?? foreignValue(text, secrets);
  if (why) summary.findings.push({ body, status, text: text.slice(0, 2_000), why });
  const codes = why === "no JSON" || why === "no answer" ? [] : codesOf(text);
  for (const outcome of [`status ${status}`, ...(codes.length > 0 ? codes : ["data"])]) {
    summary.outcomes[outcome] = (summary.outcomes[outcome] ?? 0) + 1;
  }
}

function foreignValue(text: string, secrets: string[]): string | undefined {
  if (functionText.test(text)) return "a value that no client has given";
  return secrets.some((secret) => text.includes(secret)) ? "a value of another caller" : undefined;
}

function problemOf(status: number, text: string): string | undefined {
  if (status === 0) return "no answer";
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
