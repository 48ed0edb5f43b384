import {
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isInputObjectType,
  isScalarType,
} from "graphql";

/** A change that can break a client, or give an old query another meaning. */
export interface SchemaChange {
  /** `Type`, `Type.field`, `Type.field(argument:)` or `Enum.VALUE`. */
  name: string;
  description: string;
}

/** What clients may notice between two schemas, in SDL, by name. */
export function schemaChanges(from: string, to: string): SchemaChange[] {
  const [former, latter] = [buildSchema(from), buildSchema(to)];
  const found = [...findBreakingChanges(former, latter), ...findDangerousChanges(former, latter)];
  const changes = found.map(({ description }) => ({ name: nameIn(description), description }));
  return [...changes, ...otherForms(former, latter)].sort((a, b) => a.name.localeCompare(b.name));
}

/** The changes that no line of the changelog's newest section names. */
export function undescribedChanges(changes: readonly SchemaChange[], changelog: string): SchemaChange[] {
  const [, section = ""] = changelog.split(/^## /m);
  const terms = [...section.matchAll(/`([^`]+)`/g)].map(([, term = ""]) => term);
  const named = new Set(terms.flatMap(namesIn));
  return changes.filter(({ name }) => !named.has(name));
}

/** A term is one name, or a field with several arguments: `Query.posts(tag:, status:)` names each, and the field. */
function namesIn(term: string): string[] {
  const [, field = "", inParentheses] = /^([\w.]+)(?:\((.*)\))?$/s.exec(term) ?? [];
  const args = [...(inParentheses ?? "").matchAll(/(\w+):/g)].map(([, name]) => `${field}(${name}:)`);
  return inParentheses === undefined ? [field] : args;
}

/** graphql-js names what has changed in a sentence only. */
const sentences: readonly [sentence: RegExp, name: string][] = [
  [/^A required arg (\w+) on ([\w.]+) was added/, "$2($1:)"],
  [/^An optional arg (\w+) on ([\w.]+) was added/, "$2($1:)"],
  [/^(?:A required|An optional) field (\w+) on input type (\w+) was added/, "$2.$1"],
  [/^([\w.]+) arg (\w+) (?:was removed|has changed)/, "$1($2:)"],
  [/^(\w+) was (?:removed from|added to) (?:enum|union) type (\w+)/, "$2.$1"],
  [/^(\w+) added to interfaces implemented by (\w+)/, "$2"],
  [/^@?([\w.]+) (?:was|changed|no longer)/, "$1"],
];

function nameIn(description: string): string {
  for (const [sentence, name] of sentences) {
    const found = sentence.exec(description);
    if (found) return found[0].replace(sentence, name);
  }
  return description;
}

/** Defaults of input fields and forms of scalars, which graphql-js does not compare. */
function otherForms(former: GraphQLSchema, latter: GraphQLSchema): SchemaChange[] {
  return Object.values(former.getTypeMap()).flatMap((type): SchemaChange[] => {
    const now = latter.getType(type.name);
    if (isScalarType(type) && isScalarType(now) && type.specifiedByURL !== now.specifiedByURL) {
      return [{ name: type.name, description: `${type.name} is specified by ${now.specifiedByURL ?? "nothing"}.` }];
    }
    if (!isInputObjectType(type) || !isInputObjectType(now)) return [];
    const fields = now.getFields();
    return Object.values(type.getFields()).flatMap(({ name, defaultValue }) => {
      const [was, is] = [defaultValue, fields[name]?.defaultValue].map((value) => JSON.stringify(value) ?? "nothing");
      const description = `${type.name}.${name} has changed its default from ${was} to ${is}.`;
      return fields[name] && was !== is ? [{ name: `${type.name}.${name}`, description }] : [];
    });
  });
}
