import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import type { RunningVersion } from "../../Project.ts";
import { type Finding, findingOf } from "../finding.ts";
import type { Base } from "../sql/git.ts";

const comment = /^\s*(\*|\/\*|\/\/)/;

/**
 * The functions and relations that the running version's sources name, with the first place of each.
 *
 * @param schemas of the project
 */
export function servicePlaces(
  { files }: Pick<RunningVersion, "files">,
  base: Base,
  schemas: readonly string[],
): Map<string, string> {
  const places = new Map<string, string>();
  const schemaNames = `(${schemas.join("|")})`;
  const named = new RegExp(`\\b${schemaNames}\\.\\w+`, "g");
  for (const { place, text } of base.linesIn(files, `${schemaNames}\\.[a-z]`)) {
    if (comment.test(text)) continue;
    for (const [name] of text.matchAll(named)) {
      if (!places.has(name)) places.set(name, place);
    }
  }
  return places;
}

/** Whether the running version's sources have a word. */
export function serviceMentions({ files }: Pick<RunningVersion, "files">, base: Base, word: string): boolean {
  return base.linesIn(files, `\\b${word}\\b`).some(({ text }) => !comment.test(text));
}

/** A function or relation that the running version names in its SQL, as far as a caller depends on it. */
export interface ServicePart {
  /** `shop.place_order`. */
  name: string;
  /** With the types of its arguments, if it is a function. */
  signature: string;
  /** The types of a function's arguments; null for a relation. */
  inputs: string[] | null;
  /** How many of them have a default. */
  defaults: number;
  /** The types of the columns of a relation or of a result, by name. A result without columns has one, named `result`. */
  columns: Record<string, string>;
  /** Whether its login may read or execute it. */
  isAllowed: boolean;
}

/** Reads the functions and relations with these names, as `login` may use them. */
export async function readServiceParts(client: ClientBase, names: string[], login: string): Promise<ServicePart[]> {
  if (names.length === 0) return [];
  // Types then have their schemas.
  await client.query("set local search_path = ''");
  return (await client.query<ServicePart>(text, [names, login])).rows;
}

/**
 * Refuses changes that instances of the running version cannot live with: during a roll-out they go on serving after the
 * migration, and may start again.
 *
 * @param places where the running version names each part
 * @param isMentioned whether it has the name of a column: one that it does not have is nobody's but the author's
 */
export function compareServiceParts(
  before: ServicePart[],
  after: ServicePart[],
  places: Map<string, string>,
  isMentioned: (column: string) => boolean,
): Finding[] {
  return before.flatMap((old) => {
    const now = after.find((one) => one.name === old.name && accepts(one, old));
    const added = after.filter(
      ({ name, signature }) => name === old.name && !before.some((one) => one.signature === signature),
    );
    const problems = now ? problemsOf(old, now, added, isMentioned) : [`is no longer there${replacement(added)}`];
    return problems.map((problem) => {
      const message = `${old.signature} ${problem}. The running version uses it (${places.get(old.name)}).`;
      return findingOf("running-version", old.name, message);
    });
  });
}

/** Whether calls of the old one are calls of the new one: further arguments have defaults. */
function accepts(now: ServicePart, old: ServicePart): boolean {
  if (!now.inputs || !old.inputs) return now.inputs === old.inputs;
  const required = ({ inputs, defaults }: ServicePart) => (inputs?.length ?? 0) - defaults;
  return old.inputs.every((type, index) => now.inputs?.[index] === type) && required(now) <= required(old);
}

function problemsOf(
  old: ServicePart,
  now: ServicePart,
  added: ServicePart[],
  isMentioned: (column: string) => boolean,
): string[] {
  const columns = Object.entries(old.columns).flatMap(([column, type]) => {
    const other = now.columns[column];
    if (other === type || (!old.inputs && !isMentioned(column))) return [];
    const title = column === "result" ? "its result" : `its column ${column}`;
    return [
      other ? `has another type: ${title} is ${other}, and was ${type}` : `has lost a column: ${column}, ${type}`,
    ];
  });
  const rival = added.find((one) => one !== now && accepts(one, old));
  return [
    ...columns,
    ...(rival ? [`can no longer be told from ${rival.signature}: a call fits both`] : []),
    ...(old.isAllowed && !now.isAllowed ? ["can no longer be used by its login: a right is revoked"] : []),
  ];
}

function replacement([first]: ServicePart[]): string {
  return first ? `, only ${first.signature}` : "";
}

const text = readFileSync(new URL("serviceParts.sql", import.meta.url), "utf8");
