import { type Finding, findingOf } from "../finding.ts";
import type { Behaviours, Properties } from "./behaviours.ts";

/**
 * Finds what behaves differently, what is gone, and what is new on a table or view that was there before. The catalogue tells what a
 * migration has done, however it is written: a thing that it drops and creates again as it was is none of them.
 */
export function compareBehaviours(before: Behaviours, after: Behaviours): Finding[] {
  const lost = lackedBy(after, before).filter(
    ([thing]) => thing.startsWith("table ") || isTableColumn(thing, before) || (isPart(thing) && !after.has(thing)),
  );
  const isLost = new Set(lost.map(([thing]) => thing));
  const rename = renamesIn(before, after);
  const kept = new Map([...after].map((entry) => [identityOf(...entry), entry[1]]));
  const added = lackedBy(before, after).filter(([thing]) => isPart(thing) && !before.has(thing));
  return [
    ...lost
      .filter(([, properties]) => concerns(properties, after))
      .map(([thing, properties]) => {
        const was = isPart(thing) ? `, which was ${describe(properties)}` : "";
        const { kind, object } = partsOf(thing);
        return findingOf(`drop-${kind}`, object, `The ${thing} is dropped${was}.`);
      }),
    ...[...before].flatMap(([thing, properties]) => {
      const now = after.get(thing) ?? kept.get(identityOf(thing, properties));
      return now && !isLost.has(thing) ? changeOf(thing, properties, now, rename) : [];
    }),
    ...added
      .filter(([, properties]) => concerns(properties, before))
      .map(([thing, properties]) => {
        const { kind, object, table } = partsOf(thing);
        const name = object.replace(/ on .*$/s, "");
        return findingOf(`create-${kind}`, object, `${table} has a new ${kind}, ${name}: ${describe(properties)}.`);
      }),
  ];
}

/** The tables that have another file than before: PostgreSQL has rewritten all of their rows. */
export function rewrittenTables(before: Behaviours, after: Behaviours): string[] {
  const files = new Map([...after.values()].map((properties) => [properties.get("identity"), properties.get("file")]));
  return [...before].flatMap(([thing, properties]) => {
    const file = thing.startsWith("table ") ? files.get(properties.get("identity")) : undefined;
    return file === undefined || file === properties.get("file") ? [] : [partsOf(thing).object];
  });
}

/** Of a policy, constraint or trigger, the table; of a column, its table or view. */
export function partsOf(thing: string): { kind: string; object: string; table: string } {
  const [, kind = "", object = ""] = /^(\w+) (.*)$/s.exec(thing) ?? [];
  if (kind === "function") return { kind, object: object.replace(/\(.*/s, ""), table: "" };
  return { kind, object, table: kind === "column" ? object.replace(/\.[^.]*$/, "") : object.replace(/^.* on /s, "") };
}

function isPart(thing: string): boolean {
  return /^(policy|constraint|trigger) /.test(thing);
}

function isTableColumn(thing: string, behaviours: Behaviours): boolean {
  return thing.startsWith("column ") && behaviours.has(`table ${partsOf(thing).table}`);
}

/** A thing that was renamed keeps its identity, and one that was dropped and created again has another. */
function identityOf(thing: string, properties: Properties): string {
  return `${partsOf(thing).kind} ${properties.get("identity")}`;
}

/** The things of `own` that the other side lacks, without those of tables and views that it lacks. */
function lackedBy(other: Behaviours, own: Behaviours): [string, Properties][] {
  const identities = new Set([...other].map((entry) => identityOf(...entry)));
  const isLacking = (thing: string) => !identities.has(identityOf(thing, own.get(thing) ?? new Map()));
  return [...own].filter(([thing]) => {
    const around = aroundOf(thing, own);
    return isLacking(thing) && (thing.startsWith("table ") || (around !== undefined && !isLacking(around)));
  });
}

/** The table or view of which a thing is a part; of a table or view, itself. */
export function aroundOf(thing: string, things: Behaviours): string | undefined {
  return ["table", "view"].map((word) => `${word} ${partsOf(thing).table}`).find((name) => things.has(name));
}

/** False for a constraint of columns that the other side lacks, which accepts rows without them. */
function concerns(properties: Properties, other: Behaviours): boolean {
  const columns = properties.get("columns")?.split("\n").filter(Boolean) ?? [];
  return (
    columns.length === 0 ||
    columns.some((column) => other.has(column)) ||
    /IS NOT NULL/.test(properties.get("rule") ?? "")
  );
}

/** Properties that other findings are about, or that nobody notices. */
const hidden = new Set(["identity", "file", "columns", "type", "comment", "storage"]);
const unprotected = "without row-level security";

/**
 * Gives the names in a text, of columns and tables, those that the change has given them, also to columns of other tables. A type may
 * have the name of a column.
 */
function renamesIn(before: Behaviours, after: Behaviours): (text: string | undefined) => string | undefined {
  const named = (side: Behaviours) => [...side].filter(([thing]) => /^(column|table) .*\.\w+$/.test(thing));
  const lastOf = (thing: string) => thing.slice(thing.lastIndexOf(".") + 1);
  const names = new Map(named(after).map(([thing, properties]) => [properties.get("identity"), lastOf(thing)]));
  const renamed = named(before).flatMap(([thing, properties]): [RegExp, string][] => {
    const now = names.get(properties.get("identity")) ?? lastOf(thing);
    return now === lastOf(thing) ? [] : [[new RegExp(`(?<!::)\\b${lastOf(thing)}\\b`, "g"), now]];
  });
  return (text) => renamed.reduce((changed, [old, now]) => changed?.replace(old, now), text);
}

function changeOf(
  thing: string,
  before: Properties,
  after: Properties,
  rename: (text: string | undefined) => string | undefined,
): Finding[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (property) =>
      !hidden.has(property) &&
      before.get(property) !== after.get(property) &&
      rename(before.get(property)) !== rename(after.get(property)),
  );
  if (changed.length === 0) return [];
  const texts = changed.map((property) => textOf(property, before.get(property), after.get(property)));
  const { object } = partsOf(thing);
  const message = `The ${thing} changes its behaviour: ${texts.join("; ")}.`;
  if (changed.includes("security") && after.get("security") === unprotected) {
    return [findingOf("disable-row-level-security", object, message)];
  }
  const isRevoked = changed.some((property) => property.startsWith("right of ") && !after.has(property));
  const opensFuture = changed.some((property) => / future \w+$/.test(property) && after.has(property));
  const rule = opensFuture
    ? "default-rights"
    : thing.startsWith("policy ")
      ? "alter-policy"
      : changed.includes("default")
        ? "change-default"
        : isRevoked
          ? "revoke"
          : "change-behaviour";
  return [findingOf(rule, object, message)];
}

/** Properties whose values are too long to print. */
const untold = new Set(["body", "definition"]);

/** Says how a property differs. */
export function textOf(property: string, old = "nothing", now = "nothing"): string {
  if (untold.has(property)) return `it has another ${property}`;
  if (property === "comment") return commentChange(old, now);
  const [, role, right] = /^right of (.*): (.*)$/.exec(property) ?? [];
  if (role) return `${role} ${now === "granted" ? "may" : "may no longer"} ${right}`;
  return `it is ${oneLine(now)}, and was ${oneLine(old)}`;
}

/** Names the lines that differ: of a comment with many tags, one may have been added. */
function commentChange(old: string, now: string): string {
  const [before, after] = [old.split("\n"), now.split("\n")];
  const [gone, added] = [
    before.filter((line) => !after.includes(line)),
    after.filter((line) => !before.includes(line)),
  ];
  const told = [
    ...added.map((line) => `its comment has the line “${line}”`),
    ...gone.map((line) => `its comment lacks the line “${line}”`),
  ];
  return told.length > 0 ? told.join("; ") : "its comment has its lines in another order";
}

/** A policy, constraint or trigger as it is written. */
function describe(properties: Properties): string {
  const told = [...properties].filter(([property, value]) => !hidden.has(property) && !/ nothing$/.test(value));
  return told.map(([, value]) => oneLine(value)).join(", ");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
