import {
  type BreakingChange,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from "graphql";
import { type Finding, findingOf } from "../finding.ts";

/** A request that leaves them out means what it meant before. */
const optionalInput: readonly string[] = [
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
];

/** The changes that a client of the API would notice, with the severity that graphql-js gives them. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  const breaking = findBreakingChanges(before, after)
    // The fields that returned the type are listed already.
    .filter(({ type }) => type !== "TYPE_REMOVED")
    .map((change) => breakingFinding(before, change));
  const dangerous = findDangerousChanges(before, after).map(({ type, description }) =>
    findingOf(
      optionalInput.includes(type) ? "optional-input" : "dangerous-change",
      coordinateIn(description),
      description,
      { rule: ruleOf(type) },
    ),
  );
  const known = new Set([...breaking, ...dangerous].map(({ object }) => object));
  const safe = additions(before, after).filter(({ object }) => !known.has(object));
  return [...withoutConnections(breaking), ...dangerous, ...withoutConnections(safe)];
}

/** `field-removed` for `FIELD_REMOVED`. */
function ruleOf(type: string): string {
  return type.toLowerCase().replaceAll("_", "-");
}

/** The schema coordinate in a description by graphql-js: `Post.title`, `Post.comments(limit:)`, `PostStatus.DRAFT`. */
function coordinateIn(description: string): string {
  const added = /^(?:A required|An optional) (?:field|arg) (\w+) on (?:input type )?([\w.]+) was/.exec(description);
  if (added) return added[2]?.includes(".") ? `${added[2]}(${added[1]}:)` : `${added[2]}.${added[1]}`;
  const argument = /^(\w+\.\w+) arg (\w+)/.exec(description);
  if (argument) return `${argument[1]}(${argument[2]}:)`;
  const member = /^(\w+) was (?:removed from|added to) (?:enum|union) type (\w+)/.exec(description);
  if (member) return `${member[2]}.${member[1]}`;
  return /^[\w.]+/.exec(description)?.[0] ?? description;
}

/** Without the connection of each list among them: it is always added and removed with the list. */
function withoutConnections<Named extends { object: string }>(changes: Named[]): Named[] {
  const objects = new Set(changes.map(({ object }) => object));
  return changes.filter(({ object }) => !/Connection$/.test(object) || !objects.has(object.replace(/Connection$/, "")));
}

function breakingFinding(before: GraphQLSchema, { type: change, description }: BreakingChange): Finding {
  const [rule, object] = [ruleOf(change), coordinateIn(description)];
  if (isDeprecated(before, object)) return findingOf("deprecated-is-gone", object, description, { rule });
  const isGone = rule === "field-removed" || rule === "value-removed-from-enum";
  const type = typeAt(before, object);
  const message = `${object}${type ? `: ${type}` : ""} is published, and this migration removes it.`;
  return findingOf("breaking-change", object, isGone ? message : description, { rule });
}

/** Changes that break no client: additions and deprecations. */
function additions(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  return Object.values(after.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap(({ name: typeName }): Finding[] => {
      if (!before.getType(typeName)) {
        return /(Connection|Edge)$/.test(typeName)
          ? []
          : [findingOf("type-added", typeName, `${typeName} is a new type.`)];
      }
      const oldMembers = membersOf(before, typeName);
      return Object.values(membersOf(after, typeName)).flatMap((member): Finding[] => {
        const object = `${typeName}.${member.name}`;
        const type = "type" in member ? `: ${String(member.type)}` : "";
        const old = oldMembers[member.name];
        if (!old) return [findingOf("field-added", object, `${object}${type} is new.`)];
        const { deprecationReason: reason } = member;
        return reason && !old.deprecationReason
          ? [findingOf("deprecated", object, `${object}${type} is now deprecated: ${reason}`)]
          : [];
      });
    });
}

type Member = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue;

/** The fields or enum values of a type, by name. */
export function membersOf(schema: GraphQLSchema, typeName: string): Record<string, Member> {
  const type = schema.getType(typeName);
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) return type.getFields();
  if (isEnumType(type)) return Object.fromEntries(type.getValues().map((value) => [value.name, value]));
  return {};
}

/** The field or enum value at a coordinate such as `Post.title` or `PostStatus.DRAFT`. For an argument, its field. */
function memberAt(schema: GraphQLSchema, coordinate: string): Member | undefined {
  const [, typeName = "", memberName = ""] = /^(\w+)\.(\w+)/.exec(coordinate) ?? [];
  return membersOf(schema, typeName)[memberName];
}

/** The type of a field in SDL; undefined for an enum value, a type, or where there is none. */
export function typeAt(schema: GraphQLSchema, coordinate: string): string | undefined {
  const member = memberAt(schema, coordinate);
  return member && "type" in member ? String(member.type) : undefined;
}

/** Whether the field, enum value or argument is deprecated. */
function isDeprecated(schema: GraphQLSchema, coordinate: string): boolean {
  const member = memberAt(schema, coordinate);
  const argumentName = /\((\w+):\)$/.exec(coordinate)?.[1];
  const argument = member && "args" in member ? member.args.find(({ name }) => name === argumentName) : undefined;
  return Boolean(member?.deprecationReason ?? argument?.deprecationReason);
}
