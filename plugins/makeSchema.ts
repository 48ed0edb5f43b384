import { sqlName } from "@content-service/support/sqlName.ts";
import { makeSchema as makeSchemaOfAll } from "postgraphile";
import {
  constraintTarget,
  functionTarget,
  type Introspection,
  type IntrospectionEvent,
  isOfProject,
  relationName,
  schemaOf,
} from "./support/catalogue.ts";
import type { UnmappedObject } from "./support/unmapped.ts";
import { version } from "./support/version.ts";

type SchemaResult = Awaited<ReturnType<typeof makeSchemaOfAll>>;
type Tagged = { getTagsAndDescription(): { tags: Record<string, unknown> } };

/** With more wrong tags, there is another cause. */
const mostWrong = 20;

/** One line of a smart tag in a comment. */
interface TagLine {
  /** The object in SQL: `table shop.products`. */
  object: string;
  tag: string;
  text: string;
}

/**
 * Makes the schema as PostGraphile's `makeSchema()` does. A wrong smart tag costs what it would have added, and nothing else: it is ignored and
 * listed by `unmappedObjectsOf()`. A schema without wrong tags is made once, and one more time for each wrong one that PostGraphile names in its
 * error; for others it is made some ten times.
 *
 * @throws Error if no tag is the cause, or more than twenty are, or the connection fails
 */
export async function makeSchema(preset: GraphileConfig.Preset): Promise<SchemaResult> {
  /** The reasons, by line. */
  const wrong = new Map<string, string>();
  const lines = new Map<string, TagLine>();
  /** By the ignored lines: what has shown that a line is wrong is the next schema. */
  const attempts = new Map<string, Promise<SchemaResult>>();
  const make = (ignored: readonly string[]) => {
    const key = JSON.stringify(ignored);
    const attempt =
      attempts.get(key) ?? makeSchemaOfAll({ extends: [preset], plugins: [ignoreTags(new Set(ignored), lines)] });
    attempts.set(key, attempt);
    return attempt;
  };
  for (;;) {
    try {
      const made = await make([...wrong.keys()]);
      list(made, wrong, lines);
      return made;
    } catch (error) {
      if (isOfDatabase(error)) throw error;
      const { message } = error as Error;
      const suspects = bySuspicion(
        [...lines.keys()].filter((key) => !wrong.has(key)),
        lines,
        message,
      );
      const helps = (ignored: readonly string[]) =>
        make([...wrong.keys(), ...ignored]).then(
          () => true,
          (other: Error) => {
            if (isOfDatabase(other)) throw other;
            // Another tag is wrong as well.
            return other.message !== message;
          },
        );
      const found = wrong.size < mostWrong ? await findWrong(suspects, lines, message, helps) : undefined;
      if (found === undefined) throw error;
      wrong.set(found, message.split("\n")[0] ?? "");
    }
  }
}

/** Errors of connections and of PostgreSQL have a code. */
function isOfDatabase(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "string";
}

/** The line that the message names, or else the last of the fewest first ones without which it fails no more in this way. */
async function findWrong(
  suspects: readonly string[],
  lines: ReadonlyMap<string, TagLine>,
  message: string,
  helps: (ignored: readonly string[]) => Promise<boolean>,
): Promise<string | undefined> {
  const named = suspects.filter((key) => message.includes(`@${lines.get(key)?.tag}`)).slice(0, 3);
  for (const key of named) if (await helps([key])) return key;
  let [low, high] = [0, 1];
  while (!(await helps(suspects.slice(0, high)))) {
    if (high >= suspects.length) return undefined;
    [low, high] = [high, Math.min(high * 4, suspects.length)];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await helps(suspects.slice(0, middle))) high = middle;
    else low = middle;
  }
  return suspects[high - 1];
}

/** The lines of which the message has the most words come first. */
function bySuspicion(keys: readonly string[], lines: ReadonlyMap<string, TagLine>, message: string): string[] {
  const score = (key: string) => {
    const { object = "", tag = "", text = "" } = lines.get(key) ?? {};
    const [name = ""] = object.split(/[ .]/).slice(-1);
    return (
      Number(message.includes(`@${tag}`)) * 4 +
      Number(new RegExp(`\\b${tag}\\b`, "i").test(message)) * 3 +
      Number(message.includes(name)) * 2 +
      Number(text !== "" && message.includes(text))
    );
  };
  return keys.toSorted((a, b) => score(b) - score(a));
}

function list({ schema }: SchemaResult, wrong: ReadonlyMap<string, string>, lines: ReadonlyMap<string, TagLine>): void {
  const all = schema.extensions["unmappedObjects"] as UnmappedObject[] | undefined;
  for (const [key, reason] of wrong) {
    const line = lines.get(key);
    if (!line) continue;
    const { object, tag, text } = line;
    all?.push({
      name: object.slice(object.indexOf(" ") + 1),
      message: `The smart tag @${[tag, text].join(" ").trim()} of the ${object} is ignored.`,
      reason: `The API cannot be made with it: ${reason}`,
      advice: `Correct it: comment on ${object} is '@${tag} …'`,
    });
  }
}

/** Takes lines of smart tags out of what is read of the catalogue, and notes all that there are. */
function ignoreTags(ignored: ReadonlySet<string>, lines: Map<string, TagLine>): GraphileConfig.Plugin {
  return {
    name: "IgnoredTagsPlugin",
    version,
    description: "Ignores smart tags that keep the schema from being made.",
    gather: {
      hooks: {
        pgIntrospection_introspection: {
          provides: ["smart-tags"],
          before: ["catalogueNames", "PgFakeConstraintsPlugin", "PgEnumTablesPlugin"],
          callback(_info: unknown, { introspection }: IntrospectionEvent) {
            lines.clear();
            for (const [object, entity] of taggedObjects(introspection)) {
              const { tags } = entity.getTagsAndDescription();
              for (const [tag, value] of Object.entries(tags)) {
                const kept = [value].flat().filter((one) => {
                  const text = one === true ? "" : String(one);
                  const key = `${object} @${tag} ${text}`;
                  lines.set(key, { object, tag, text });
                  return !ignored.has(key);
                });
                if (kept.length === 0) delete tags[tag];
                else tags[tag] = Array.isArray(value) && kept.length > 1 ? kept : kept[0];
              }
            }
          },
        },
      },
    },
  } as never;
}

const kindsOfRelation: Readonly<Record<string, string>> = {
  r: "table",
  p: "table",
  v: "view",
  m: "materialized view",
  f: "foreign table",
  c: "type",
};

function* taggedObjects({
  classes,
  attributes,
  procs,
  types,
  constraints,
}: Introspection): Generator<[string, Tagged]> {
  for (const one of classes.filter(isOfProject)) {
    const kind = kindsOfRelation[one.relkind];
    if (kind) yield [`${kind} ${relationName(one)}`, one];
  }
  for (const one of attributes) {
    const table = one.getClass();
    if (isOfProject(table)) yield [`column ${relationName(table)}.${sqlName(one.attname)}`, one];
  }
  for (const one of constraints) {
    if (isOfProject(one.getClass())) yield [constraintTarget(one), one];
  }
  for (const one of procs.filter(isOfProject)) {
    yield [functionTarget(one), one];
  }
  for (const one of types.filter(isOfProject)) {
    if (one.typtype === "c" || one.typcategory === "A") continue;
    yield [`${one.typtype === "d" ? "domain" : "type"} ${sqlName(schemaOf(one), one.typname)}`, one];
  }
}
