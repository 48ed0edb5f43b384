import { type GraphQLSchema, isIntrospectionType } from "graphql";
import type { Finding } from "./finding.ts";
import { membersOf } from "./schemaElements.ts";

/** Changes that break no client: additions, deprecations and descriptions. */
export function safeChanges(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  return Object.values(after.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap(({ name, description }): Finding[] => {
      const old = before.getType(name);
      if (!old) return /(Connection|Edge)$/.test(name) ? [] : [safe(name, `${name} is a new type.`)];
      return [
        ...(old.description === description ? [] : [safe(name, `${name} has a new description.`)]),
        ...memberChanges(before, after, name),
      ];
    });
}

function memberChanges(before: GraphQLSchema, after: GraphQLSchema, typeName: string): Finding[] {
  const oldMembers = membersOf(before, typeName);
  return Object.values(membersOf(after, typeName)).flatMap((member): Finding[] => {
    const name = `${typeName}.${member.name}`;
    const type = "type" in member ? `: ${String(member.type)}` : "";
    const old = oldMembers[member.name];
    if (!old) return [safe(name, `${name}${type} is new.`)];
    const changes: Finding[] = [];
    if (!old.deprecationReason && member.deprecationReason) {
      changes.push(safe(name, `${name}${type} is now deprecated: ${member.deprecationReason}`));
    }
    if (old.description !== member.description) changes.push(safe(name, `${name} has a new description.`));
    return changes;
  });
}

function safe(name: string, message: string): Finding {
  return { level: "safe", name, message };
}
