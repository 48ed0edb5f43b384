import { isObject } from "@content-service/support/isObject.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { type Command, connectionString } from "graphile-migrate-review";
import { ensureRoles } from "../database/ensureRoles.ts";
import type { Explained } from "./explainingAccess.ts";

/**
 * `npm run db:explain -- "{ feed(limit: 3) { title } }" [--variables JSON] [--as <user id>]`: prints the statements of an
 * operation with their plans.
 */
export const explainCommand: Command = {
  options: { variables: { type: "string" }, as: { type: "string", default: "anonymous" } },
  arguments: ["an operation"],
  async run({ databases: { url }, environment, output }, { variables, as: viewer }, [query = ""]) {
    if (viewer !== "anonymous" && !/^[1-9]\d*$/.test(String(viewer))) {
      throw new OperatorError("--as takes a user's id, or anonymous.");
    }
    const given = readVariables(variables);
    const apiUrl = connectionString(environment, "API_DATABASE_URL") ?? (await ensureRoles(url));
    const viewerId = viewer === "anonymous" ? "" : String(viewer);
    const [{ readSchema }, { explainOperation }] = await Promise.all([
      import("./readSchema.ts"),
      import("./explainOperation.ts"),
    ]);
    const { statements, errors } = await explainOperation(
      await readSchema(apiUrl, { ignoresWrongTags: true }),
      apiUrl,
      query,
      given,
      viewerId,
    );
    output.log(statements.map(printStatement).join("\n\n") || "The operation runs no statement.");
    for (const { message, path } of errors) output.log(`\nError at ${path?.join(".") ?? "the operation"}: ${message}`);
  },
};

function readVariables(given: unknown): Record<string, unknown> {
  try {
    const variables = JSON.parse(typeof given === "string" ? given : "{}");
    if (isObject(variables)) return variables;
  } catch {
    // Refused below.
  }
  throw new OperatorError(`--variables takes a JSON object, for example '{"id": "1"}'.`);
}

function printStatement({ text, plan }: Explained, place: number): string {
  return [`# Statement ${place + 1}`, text, "# Plan", plan].join("\n");
}
