import { DangerousChangeType, findBreakingChanges, findDangerousChanges, type GraphQLSchema } from "graphql";
import type { Finding } from "./finding.ts";
import { safeChanges } from "./safeChanges.ts";
import { isDeprecated, typeAt } from "./schemaElements.ts";

/** A request that leaves them out means what it meant before. */
const optionalInput: ReadonlySet<string> = new Set([
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
]);

/** The changes that a client of the API would notice, with the severity that graphql-js gives them. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  const breaking = findBreakingChanges(before, after)
    // The fields that returned the type are listed already.
    .filter(({ type }) => type !== "TYPE_REMOVED")
    .map((change) => ({ ...change, name: nameOf(change.description) }));
  const names = new Set(breaking.map(({ name }) => name));
  const dangerous = findDangerousChanges(before, after).map(({ type, description }): Finding => {
    const [name, message] = [nameOf(description), description];
    return optionalInput.has(type)
      ? { level: "safe", name, message }
      : {
          level: "dangerous",
          name,
          message,
          reason:
            "Clients that handle every enum value, or rely on the default of an argument, may behave differently.",
        };
  });
  const known = new Set([...names, ...dangerous.map(({ name }) => name)]);
  const safe = safeChanges(before, after).filter(({ name }) => !known.has(name));
  const safeNames = new Set(safe.map(({ name }) => name));
  return [
    ...breaking
      .filter(({ name }) => !isConnectionOfList(name, names))
      .map(({ name, type, description }) =>
        isDeprecated(before, name)
          ? deprecatedRemoval(name, description)
          : breakingChange(before, name, type, description),
      ),
    ...dangerous,
    ...safe.filter(({ name }) => !isConnectionOfList(name, safeNames)),
  ];
}

function deprecatedRemoval(name: string, description: string): Finding {
  return {
    level: "dangerous",
    name,
    message: description,
    reason: "Clients have been told: it was deprecated before.",
  };
}

function breakingChange(before: GraphQLSchema, name: string, type: string, description: string): Finding {
  const allow = `npm run db:check -- --allow '${name}'`;
  if (type === "FIELD_REMOVED" || type === "VALUE_REMOVED_FROM_ENUM") {
    const published = typeAt(before, name);
    return {
      level: "refused",
      name,
      message: `${name}${published ? `: ${published}` : ""} is published, and this migration removes it.`,
      reason: "A request that selects it fails as a whole.",
      advice:
        "Either keep it, add @deprecated and its replacement to its comment, and drop it in a later migration; " +
        `or, if no client uses it, allow the removal: ${allow}`,
    };
  }
  return {
    level: "refused",
    name,
    message: description,
    reason: "Requests that are valid today would be rejected.",
    advice:
      "Either add the new one beside the old one, deprecate the old one, and remove it in a later migration; " +
      `or, if no client relies on it, allow the change: ${allow}`,
  };
}

/** Whether the list itself is among the names. Its connection is always added and removed with it. */
function isConnectionOfList(name: string, names: Set<string>): boolean {
  return name.endsWith("Connection") && names.has(name.replace(/Connection$/, ""));
}

/** The schema coordinate in a description by graphql-js: `Post.title`, `Post.comments(limit:)`, `PostStatus.DRAFT`. */
function nameOf(description: string): string {
  const added = /^(?:A required|An optional) (?:field|arg) (\w+) on (?:input type )?([\w.]+) was/.exec(description);
  if (added) return added[2]?.includes(".") ? `${added[2]}(${added[1]}:)` : `${added[2]}.${added[1]}`;
  const argument = /^(\w+\.\w+) arg (\w+)/.exec(description);
  if (argument) return `${argument[1]}(${argument[2]}:)`;
  const member = /^(\w+) was (?:removed from|added to) (?:enum|union) type (\w+)/.exec(description);
  if (member) return `${member[2]}.${member[1]}`;
  return /^[\w.]+/.exec(description)?.[0] ?? description;
}
