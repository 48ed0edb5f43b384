import { readFileSync } from "node:fs";
import { makeFormatError } from "@content-service/errors/formatError.ts";
import { GraphQLError } from "graphql";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import { type Answer, type Person, people, type TestService } from "../support/service.ts";

/** The outcome of an act: "done"; "nothing", as for a missing row; or the error code of the refusal. */
export type Seen = string;

const roles = readFileSync(new URL("roles.sql", import.meta.url), "utf8");
const content = readFileSync(new URL("../../migrations/permissions.sql", import.meta.url), "utf8").replace(
  /^-- people\.sql comes here.*$/m,
  () => readFileSync(new URL("../support/people.sql", import.meta.url), "utf8"),
);

/** Restores the rows of migrations/permissions.sql. */
export async function resetContent({ database }: TestService): Promise<void> {
  // A value of an enum can be used when the transaction that has added it is committed.
  await database.query(roles);
  await database.query(content);
}

/** The outcome of `sql` in the database itself, for an attacker with the login's password. Rolled back. */
export async function inDatabase({ database }: TestService, person: Person, sql: string): Promise<Seen> {
  try {
    return await rolledBack(database.login, async (login) => {
      await login.query(`set local role ${person === "nobody" ? "api_anonymous" : "api_member"}`);
      await login.query(`set local app.viewer_id = '${person === "nobody" ? "" : people[person]}'`);
      const { rowCount } = await login.query(sql);
      return rowCount ? "done" : "nothing";
    });
  } catch (error) {
    return codeOf(error as Error);
  }
}

/** The error code that a client would get. */
export function codeOf(error: Error): string {
  const format = makeFormatError({ error: () => {} });
  const { code } = format(new GraphQLError("", { originalError: error })).extensions ?? {};
  return code === "INTERNAL_SERVER_ERROR" ? error.message : String(code);
}

/** The outcome of a request. NOT_FOUND in a query counts as "nothing". */
export async function throughApi(service: TestService, person: Person, query: string): Promise<Seen> {
  const { data, errors }: Answer = await service.ask(query, { as: person });
  const code = errors?.[0]?.extensions.code;
  if (isSomething(data)) return "done";
  if (code === undefined || (code === "NOT_FOUND" && !query.startsWith("mutation"))) return "nothing";
  return code;
}

function isSomething(value: unknown): boolean {
  if (value === null || typeof value !== "object") return Boolean(value);
  return Object.values(value).some(isSomething);
}
