import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { createPool } from "../../database/pool.ts";
import { makeFormatError } from "../../errors/formatError.ts";
import { executeOperation } from "../../graphql/executeOperation.ts";
import { isObject } from "../../graphql/request/readRequest.ts";
import { selectOperation } from "../../graphql/request/selectOperation.ts";
import type { ServedSchema } from "../../graphql/schema/buildSchema.ts";
import { ensureRoles } from "../../migrations/roles.ts";
import { StartError } from "../../support/StartError.ts";
import { type Explained, explainingAccess } from "../explain/explainingAccess.ts";
import type { Command } from "./command.ts";
import { connectionString } from "./databases.ts";
import { readSchema } from "./readSchema.ts";

const statementTimeoutMs = 600_000;

/**
 * `npm run db:explain -- "{ feed(limit: 3) { title } }" [--variables JSON] [--as <user id>]`: prints the statements of an
 * operation with their plans, under the role and policies of a request, and the indexes that the plans lack. Each statement
 * runs; everything is rolled back at the end.
 */
export const explainCommand: Command = {
  options: { variables: { type: "string" }, as: { type: "string", default: "anonymous" } },
  arguments: ["an operation"],
  async run({ url }, { variables, as: viewer }, [query = ""]) {
    if (viewer !== "anonymous" && !/^[1-9]\d*$/.test(String(viewer))) {
      throw new StartError("--as takes a user's id, or anonymous.");
    }
    const apiUrl = connectionString(process.env, "API_DATABASE_URL") ?? (await ensureRoles(url));
    const served = await readSchema(apiUrl);
    const execution = {
      ...read(served, query),
      variables: readVariables(variables),
      caller: {
        viewerId: viewer === "anonymous" ? "" : String(viewer),
        requestId: randomUUID(),
        address: "",
        share: "",
      },
    };
    const pool = createPool(
      { apiDatabaseUrl: apiUrl, poolSize: 1, poolTimeoutMs: 5_000, statementTimeoutMs },
      pino({ level: "silent" }),
    );
    const client = await pool.connect();
    try {
      await client.query("begin");
      const explained: Explained[] = [];
      const databaseAccess = explainingAccess(client, explained);
      const parts = { signToken: undefined, formatError: makeFormatError(pino({ level: "silent" })) };
      const { errors = [] } = await executeOperation({ ...served, databaseAccess }, execution, parts);
      console.log(explained.map(printStatement).join("\n\n") || "The operation runs no statement.");
      for (const { message, path } of errors)
        console.log(`\nError at ${path?.join(".") ?? "the operation"}: ${message}`);
    } finally {
      // Ends the transaction as well.
      client.release(true);
      await pool.end();
    }
  },
};

/** @throws StartError that lists the faults of the document */
function read({ documents }: ServedSchema, query: string) {
  try {
    const document = documents.parse(query);
    const [fault] = documents.validate(query, document);
    if (fault) throw fault;
    return { document, operation: selectOperation(document) };
  } catch (error) {
    throw new StartError(`The operation cannot run: ${(error as Error).message}`);
  }
}

function readVariables(given: unknown): Record<string, unknown> {
  try {
    const variables = JSON.parse(typeof given === "string" ? given : "{}");
    if (isObject(variables)) return variables;
  } catch {
    // Refused below.
  }
  throw new StartError(`--variables takes a JSON object, for example '{"id": "1"}'.`);
}

function printStatement({ text, plan, advice }: Explained, place: number): string {
  const indexes = advice.length > 0 ? advice.map((line) => `- ${line}`).join("\n") : "None seem to be missing.";
  return [`# Statement ${place + 1}`, text, "# Plan", plan, "# Indexes", indexes].join("\n");
}
