import { type GraphQLSchema, isListType, isObjectType } from "graphql";
import { type Finding, findingOf } from "../finding.ts";
import { type ApiSources, renaming } from "./apiSources.ts";
import { membersOf, typeAt } from "./compareSchemas.ts";

/**
 * Finds fields that keep their name and get other values, because the name moved to another column, foreign key or function.
 * A thing that is gone or was renamed does not count: its field may stay as something else.
 */
export function compareSources(before: ApiSources, after: ApiSources): Finding[] {
  const present = new Set([...after.values()].flatMap((things) => [...things]));
  return [...after].flatMap(([object, things]): Finding[] => {
    const old = [...(before.get(object) ?? [])].find((thing) => !things.has(thing) && present.has(thing));
    const [now] = things;
    if (old === undefined || now === undefined) return [];
    const advice = `Keep the name where it is, and give the other one its own: ${renaming(now)}`;
    return [findingOf("field-moved", object, `${object} is ${old}, and this migration makes it ${now}.`, { advice })];
  });
}

/** One finding for each new field that follows a foreign key, so that its author sees the field’s name in time. */
export function relationNames(before: GraphQLSchema, after: GraphQLSchema, sources: ApiSources): Finding[] {
  return [...sources].flatMap(([object, [thing = ""]]): Finding[] => {
    const isNew = typeAt(after, object) !== undefined && typeAt(before, object) === undefined;
    if (!isNew || !thing.startsWith("the foreign key") || object.endsWith("Connection")) return [];
    return [findingOf("relation-named", object, `${thing.replace("the", "The")} names the field ${object}.`)];
  });
}

/**
 * Adds to the finding of a field that disappears how its name can stay, when a new field of the same type and with the same
 * result may be the same thing under a new name. A column that is renamed renames its field, and a foreign key's column its
 * relation.
 */
export function keepNames(
  findings: Finding[],
  before: GraphQLSchema,
  after: GraphQLSchema,
  sources: ApiSources,
): Finding[] {
  return findings.map((finding) => {
    if (finding.rule !== "field-removed" || finding.severity !== "refused") return finding;
    const statements = renamings(before, after, sources, finding.object);
    if (statements.length === 0) return finding;
    return {
      ...finding,
      advice: `If it has a new name only, keep the old one: ${statements.join("; or ")}. ${finding.advice}`,
    };
  });
}

function renamings(before: GraphQLSchema, after: GraphQLSchema, sources: ApiSources, gone: string): string[] {
  const [typeName = "", fieldName = ""] = gone.split(".");
  const type = after.getType(typeName);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields())
    .filter(({ name, type: now }) => !membersOf(before, typeName)[name] && String(now) === typeAt(before, gone))
    .flatMap((field) => {
      const [thing] = sources.get(`${typeName}.${field.name}`) ?? [];
      if (thing === undefined) return [];
      const statement = renaming(thing, fieldName);
      return [isListType(field.type) ? statement.replace("@fieldName", "@foreignFieldName") : statement];
    });
}
