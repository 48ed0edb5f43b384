import pg, { type ClientBase } from "pg";
import { type Finding, findingOf } from "../finding.ts";

/** A row of a project's query of problems. */
export interface Problem {
  object: string;
  problem: string;
  repair: string | null;
}

/** Runs a project's query of problems, in a transaction and without an effect. That it fails is a problem as well: of a database that is older than it, or of a change. */
export async function readProblems(client: ClientBase, query: string | undefined): Promise<Problem[]> {
  if (query === undefined) return [];
  await client.query("savepoint problems");
  try {
    return (await client.query<Problem>(query)).rows;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return [{ object: "The query of problems", problem: error.message, repair: error.hint ?? null }];
  } finally {
    await client.query("rollback to savepoint problems");
  }
}

/** @param placeOf the place of the statement that a text is about, if it can be told */
export function compareProblems(
  before: Problem[],
  after: Problem[],
  placeOf: (text: string) => string | undefined,
): Finding[] {
  const isOld = (one: Problem) => before.some((old) => old.object === one.object && old.problem === one.problem);
  return after.flatMap((one) => {
    if (isOld(one)) return [];
    const { object, problem, repair } = one;
    const location = placeOf(`${problem} ${object}`);
    const advice = repair ?? undefined;
    return findingOf("new-problem", object, `${object}: ${problem}.`, { location, ...(advice && { advice }) });
  });
}
