import { isApiError } from "@content-service/errors/ApiError.ts";
import { reruns } from "@content-service/errors/reruns.ts";
import { wellFormedText } from "@content-service/support/storable.ts";
import type { OperationTypeNode } from "graphql";
import { type Caller, type DatabaseAccess, type NamedStatement, ResultNotRead } from "pg-caller-pool";
import { type CompiledStatement, NotCompiled } from "postgraphile-compiled-preset/compiled";

/** @returns `data` as JSON text */
export async function runStatements(
  access: DatabaseAccess,
  statements: readonly CompiledStatement[],
  variables: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<string> {
  const storable = wellFormedText(variables) as typeof variables;
  const given = statements.map(({ name, text, parameters }) => ({
    name,
    text,
    values: parameters.map((parameter) => parameter(storable)),
  }));
  return (await access.atOnce({ ...caller, subjects: subjectsOf(statements, given, caller) }, given)) as string;
}

/** What a query reads from, or the function of a mutation, and the rows that it is told to change. */
function subjectsOf(
  [first]: readonly CompiledStatement[],
  [given]: readonly NamedStatement[],
  { writes }: Caller,
): Caller["subjects"] {
  if (!first || !given) return undefined;
  const { sources, keys } = first;
  if (!writes || keys.length === 0) return [sources];
  return [sources, `${sources} ${keys.map((position) => given.values[position])}`];
}

/**
 * Whether running the operation again, in the engine, would fail alike, or would repeat what a mutation did. The engine runs a
 * statement for each root field, so it may answer some of them. Of any other error of a query, it knows more: of a result
 * that is too large, which field makes it so. A mutation runs again only if it was rolled back because its result failed.
 */
export function isConclusive(error: unknown, operation: OperationTypeNode, rootFields: number): boolean {
  if (error instanceof NotCompiled) return false;
  if (error instanceof ResultNotRead) return !reruns.compiled.isFor(error.cause);
  if (operation === "mutation") return true;
  if (isApiError(error)) return error.code === "SERVICE_UNAVAILABLE";
  return rootFields === 1 && !reruns.compiled.isFor(error);
}
