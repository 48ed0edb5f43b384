import { readFileSync } from "node:fs";
import { markdownTable } from "@content-service/support/markdownTable.ts";
import type { Person, TestService } from "../support/service.ts";
import { inDatabase, throughApi } from "./outcome.ts";

export const permissions = readFileSync(new URL("../../migrations/permissions.md", import.meta.url), "utf8");

/** A row of migrations/permissions.md: an act, its outcomes by person, and how to try it. */
export interface Act {
  act: string;
  outcomes: Record<string, string>;
  sql: string;
  query: string;
}
type Cell = [way: string, person: Person, see: () => Promise<string>];

const everyone: Person[] = ["nobody", "bob", "ada", "admin", "editor", "moderator"];

/** The acts below a heading of the page. */
export function actsBelow(heading: string): Act[] {
  return markdownTable(permissions, heading).map(toAct);
}

/** @param cells the act, its outcomes by person, the SQL and the query */
export function toAct(cells: string[]): Act {
  const [act = "", ...outcomes] = cells.slice(0, -2);
  const [sql = "", query = ""] = cells.slice(-2);
  return { act, outcomes: Object.fromEntries(outcomes.map((outcome, i) => [everyone[i], outcome])), sql, query };
}

/** The ways to try an act: in SQL or through the API, as each person. */
export function ways(service: TestService, { outcomes, sql, query }: Act): Cell[] {
  const persons = Object.keys(outcomes) as Person[];
  const inSql = (person: Person): Cell => ["in the database", person, () => inDatabase(service, person, sql)];
  const inApi = (person: Person): Cell => ["through the API", person, () => throughApi(service, person, query)];
  return [...(sql ? persons.map(inSql) : []), ...(query ? persons.map(inApi) : [])];
}
