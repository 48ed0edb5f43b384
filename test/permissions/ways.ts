import type { Person, TestService } from "../support/service.ts";
import { inDatabase, throughApi } from "./outcome.ts";

export type Act = { sql?: string; query?: string };
type Cell = [way: string, person: Person, see: () => Promise<string>];

const everyone: Person[] = ["nobody", "bob", "ada", "admin"];

/** The ways to try an act: in SQL or through the API, as each person. */
export function ways(service: TestService, { sql, query }: Act = {}): Cell[] {
  const inSql = (person: Person): Cell => ["in the database", person, () => inDatabase(service, person, sql ?? "")];
  const inApi = (person: Person): Cell => ["through the API", person, () => throughApi(service, person, query ?? "")];
  return [...(sql ? everyone.map(inSql) : []), ...(query ? everyone.map(inApi) : [])];
}
