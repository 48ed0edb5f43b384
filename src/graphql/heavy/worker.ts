import "../../environment.ts";
import { type MessagePort, workerData } from "node:worker_threads";
import { type DocumentNode, type FormattedExecutionResult, GraphQLError, parse } from "graphql";
import { LRUCache } from "lru-cache";
import { type Level, pino } from "pino";
import type { Caller } from "../../database/adaptor.ts";
import { createPool } from "../../database/pool.ts";
import { createTokenSigner } from "../../identity/signToken.ts";
import { executeOperation } from "../executeOperation.ts";
import { Faults } from "../Faults.ts";
import { selectOperation } from "../request/selectOperation.ts";
import { storableDocument } from "../request/storable.ts";
import { buildSchema } from "../schema/buildSchema.ts";
import type { HeavyLaneSettings } from "./HeavyLane.ts";

/* The thread of a HeavyLane: it runs what it is sent, and ends when it is told to. */

export interface Task {
  id: number;
  text: string;
  /** Where the text is not the client's: errors have no place in it, then. */
  noLocation: boolean;
  operationName: string | undefined;
  variables: Record<string, unknown>;
  caller: Caller;
}

/** What an operation came to, as JSON; or a line for the log; or that no more should be sent. */
export type Answer = { id: number; result: string } | { level: Level; line: object; words: string } | "lost";

export interface WorkerData {
  settings: HeavyLaneSettings;
  port: MessagePort;
}

const { settings, port } = workerData as WorkerData;
const say = (answer: Answer) => port.postMessage(answer);
const log = pino(
  {},
  {
    write(text) {
      const { level, msg, time: _time, pid: _pid, hostname: _hostname, ...line } = JSON.parse(text);
      say({ level: pino.levels.labels[level] as Level, line, words: msg });
    },
  },
);
const faults = new Faults(log);
const surroundings = { faults, signToken: createTokenSigner(settings.token) };
const pool = createPool(settings, log);
// What comes here has passed as a document; only its answer is still to be looked at.
const building = buildSchema(pool, true, settings.limits);
// Nothing can be run without a schema; the next thread may have better luck. Said before what waits for it is answered.
building.catch(() => {
  say("lost");
  setImmediate(stop);
});
const documents = new LRUCache<string, DocumentNode>({ max: 100 });

port.on("message", async (message: Task | "stop") => {
  if (message === "stop") return stop();
  say({ id: message.id, result: JSON.stringify(await run(message)) });
});

async function run({ text, noLocation, operationName, variables, caller }: Task): Promise<FormattedExecutionResult> {
  try {
    const served = await building;
    const document = documents.get(text) ?? storableDocument(parse(text, { noLocation }));
    documents.set(text, document);
    const operation = selectOperation(document, operationName);
    return await executeOperation(served, { document, operation, variables, caller }, surroundings);
  } catch (error) {
    const known = error instanceof GraphQLError ? error : new GraphQLError("", { originalError: error as Error });
    return { errors: [faults.format(known)], data: null };
  }
}

async function stop(): Promise<void> {
  await pool.end();
  port.close();
}
