import { findBreakingChanges, findDangerousChanges, type GraphQLSchema } from "graphql";
import type { Finding } from "./finding.ts";
import { safeChanges } from "./safeChanges.ts";
import { isDeprecated, typeAt } from "./schemaElements.ts";

/** What a client of the API would notice: each difference breaking, dangerous or safe, as graphql-js judges it. */
export function compareSchemas(before: GraphQLSchema, after: GraphQLSchema): Finding[] {
  const breaking = findBreakingChanges(before, after)
    // What returned the type is gone as well, and listed.
    .filter(({ type }) => type !== "TYPE_REMOVED")
    .map((change) => ({ ...change, name: nameOf(change.description) }));
  const names = new Set(breaking.map(({ name }) => name));
  const dangerous = findDangerousChanges(before, after).map(
    ({ description }): Finding => ({
      level: "dangerous",
      name: nameOf(description),
      what: description,
      why: "Clients that list all there is, or rely on what they leave out, may be surprised.",
    }),
  );
  const safe = safeChanges(before, after).filter(({ name }) => !dangerous.some((change) => change.name === name));
  const safeNames = new Set(safe.map(({ name }) => name));
  return [
    ...breaking
      .filter(({ name }) => !isTwin(name, names))
      .map(({ name, type, description }) =>
        isDeprecated(before, name) ? announced(name, description) : refused(before, name, type, description),
      ),
    ...dangerous,
    ...safe.filter(({ name }) => !isTwin(name, safeNames)),
  ];
}

function announced(name: string, description: string): Finding {
  return { level: "dangerous", name, what: description, why: "It was deprecated before, so clients have been told." };
}

function refused(before: GraphQLSchema, name: string, type: string, description: string): Finding {
  const allow = `npm run db:check -- --allow '${name}'`;
  if (type === "FIELD_REMOVED" || type === "VALUE_REMOVED_FROM_ENUM") {
    const published = typeAt(before, name);
    return {
      level: "refused",
      name,
      what: `${name}${published ? `: ${published}` : ""} is published, and this migration takes it away.`,
      why: "Whoever asks for it gets an error in place of the whole answer.",
      todo:
        "Either keep it, tell clients with @deprecated and what to use instead in its comment, and drop it in a later " +
        `migration; or, if you know that nobody asks for it, wave it through: ${allow}`,
    };
  }
  return {
    level: "refused",
    name,
    what: description,
    why: "Operations that are valid today would be refused.",
    todo:
      "Either add the new beside the old, deprecate the old, and take it away in a later migration; or, if you know that " +
      `nobody relies on it, wave it through: ${allow}`,
  };
}

/** A list's connection comes and goes with it. */
function isTwin(name: string, names: Set<string>): boolean {
  return name.endsWith("Connection") && names.has(name.replace(/Connection$/, ""));
}

/** What graphql-js describes, by its schema coordinate: `Post.title`, `Post.comments(limit:)`, `PostStatus.DRAFT`. */
function nameOf(description: string): string {
  const added = /^(?:A required|An optional) (?:field|arg) (\w+) on (?:input type )?([\w.]+) was/.exec(description);
  if (added) return added[2]?.includes(".") ? `${added[2]}(${added[1]}:)` : `${added[2]}.${added[1]}`;
  const argument = /^(\w+\.\w+) arg (\w+)/.exec(description);
  if (argument) return `${argument[1]}(${argument[2]}:)`;
  const member = /^(\w+) was (?:removed from|added to) (?:enum|union) type (\w+)/.exec(description);
  if (member) return `${member[2]}.${member[1]}`;
  return /^[\w.]+/.exec(description)?.[0] ?? description;
}
