import { type GraphQLSchema, isListType, isObjectType } from "graphql";
import { type ApiSources, renaming } from "./apiSources.ts";
import type { Finding } from "./finding.ts";
import { membersOf, typeAt } from "./schemaElements.ts";

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
    const [typeName = "", fieldName = ""] = finding.name.split(".");
    const isGone =
      finding.level === "refused" && membersOf(before, typeName)[fieldName] && !typeAt(after, finding.name);
    const statements = isGone ? renamings(before, after, sources, typeName, fieldName) : [];
    if (statements.length === 0) return finding;
    return {
      ...finding,
      advice: `If it has a new name only, keep the old one: ${statements.join("; or ")}. ${finding.advice}`,
    };
  });
}

function renamings(
  before: GraphQLSchema,
  after: GraphQLSchema,
  sources: ApiSources,
  typeName: string,
  fieldName: string,
): string[] {
  const type = after.getType(typeName);
  if (!isObjectType(type)) return [];
  const old = typeAt(before, `${typeName}.${fieldName}`);
  return Object.values(type.getFields())
    .filter((field) => !membersOf(before, typeName)[field.name] && String(field.type) === old)
    .flatMap((field) => {
      const [thing] = sources.get(`${typeName}.${field.name}`) ?? [];
      const statement = thing && renaming(thing, fieldName);
      return statement
        ? [isListType(field.type) ? statement.replace("@fieldName", "@foreignFieldName") : statement]
        : [];
    });
}
