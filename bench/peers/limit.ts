import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OwnStatements } from "../ownStatements.ts";
import { announce, openPool } from "./serve.ts";

/*
 * The limit: node:http and the service's own statement for each operation, prepared, whose JSON goes to the client as it comes. No
 * GraphQL, no token, no limits. The variables are those with which the statement was recorded. With LIMIT_ROLE, each connection has
 * that role, so row-level security applies.
 */
const own: OwnStatements = JSON.parse(process.env["STATEMENTS"] ?? "{}");
const pool = openPool(process.env["LIMIT_ROLE"]);

async function answer(body: string): Promise<string> {
  const { operationName } = JSON.parse(body);
  const statement = own[operationName];
  if (!statement) return '{"data":{"__typename":"Query"}}';
  const { rows } = await pool.query({ name: operationName, ...statement, rowMode: "array" });
  return `{"data":${rows[0]?.[0]}}`;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const bytes = Buffer.from(await answer(Buffer.concat(chunks).toString()));
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
  });
}).listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`));
