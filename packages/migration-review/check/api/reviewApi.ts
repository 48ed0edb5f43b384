import { readFileSync } from "node:fs";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { GraphQLSchema } from "graphql";
import type { ClientBase } from "pg";
import type { Settings } from "../../migrations/settings.ts";
import type { Api, ApiRoles } from "../../Project.ts";
import { type Finding, findingOf } from "../finding.ts";
import { type ApiSources, noteSources, renaming } from "./sources.ts";

export interface ApiReview {
  /** Undefined when it cannot be built. */
  schema: GraphQLSchema | undefined;
  sources: ApiSources;
  findings: Finding[];
}

/** Builds the API as a service would, and finds what keeps it from being built, and what is missing in it. */
export async function reviewApi(
  api: Api,
  owner: ClientBase,
  ownerUrl: string,
  environment: NodeJS.ProcessEnv,
  { placeholders = {} }: Settings,
): Promise<ApiReview> {
  const sources: ApiSources = new Map();
  try {
    const { schema, leftOut = [] } = await api.readSchema(ownerUrl, environment, noteSources(sources));
    const missing = await findMissing(owner, api, sources, placeholders);
    const findings = [
      ...findConflicts(sources, { reason: "Only one of them is in the API." }),
      ...leftOut.map(({ name, message, ...more }) => findingOf("left-out", name, message, more)),
      ...missing.filter(({ object }) => !leftOut.some(({ name }) => name === object)),
    ];
    return { schema, sources, findings };
  } catch (error) {
    // Of the connection, not of the schema.
    if (error instanceof OperatorError) throw error;
    const conflicts = findConflicts(sources, {});
    return { schema: undefined, sources, findings: conflicts.length > 0 ? conflicts : [buildFailure(error as Error)] };
  }
}

function findConflicts(sources: ApiSources, more: Pick<Finding, "reason">): Finding[] {
  return [...sources]
    .filter(([, things]) => things.size > 1)
    .map(([object, things]) => {
      const statements = new Set([...things].map((thing) => renaming(thing)));
      return findingOf("name-conflict", object, `${object} is the name of ${[...things].join(" and of ")}.`, {
        advice: `Give the new one another name in its comment: ${[...statements].join("; ")}`,
        ...more,
      });
    });
}

function buildFailure({ message }: Error): Finding {
  const [, name, first, second] =
    /define the same \w+ '(\w+)'.*first entity was:\s+(.+?)\n.*second entity was:\s+(.+?)\.?\s*(?:\n|$)/s.exec(
      message,
    ) ?? [];
  if (!name) return findingOf("api-not-built", "schema", `The API's schema cannot be built: ${message}`);
  const told = `${name} is the name of two things in the API: ${plain(first)} and ${plain(second)}.`;
  return findingOf("names-not-built", name, told, { rule: "name-conflict" });
}

/** Without the name of the engine's plugin. */
function plain(entity = ""): string {
  return entity.replace(/^\w+Plugin\b */, "") || "a type of the database";
}

const publicThings = readFileSync(new URL("publicThings.sql", import.meta.url), "utf8");

interface Missing {
  kind: "function" | "table";
  name: string;
  signature: string;
  isGranted: boolean;
  isOverloaded: boolean;
}

/**
 * Functions and tables of its schema that the API leaves out without a word, except for those whose comment has a
 * `@behavior`: they are hidden on purpose.
 */
async function findMissing(
  client: ClientBase,
  { schema, roles }: Api,
  sources: ApiSources,
  placeholders: NonNullable<Settings["placeholders"]>,
): Promise<Finding[]> {
  // As a migration writes them.
  const written = (role: string) => Object.keys(placeholders).find((name) => placeholders[name] === role) ?? role;
  const grantees = { anonymous: written(roles.anonymous), member: written(roles.member) };
  const { rows } = await client.query<Missing>(publicThings, [[roles.anonymous, roles.member], schema]);
  const present = new Set([...sources.values()].flatMap((things) => [...things]));
  return rows
    .filter(({ kind, name, isGranted }) => !isGranted || (kind === "function" && !present.has(`the function ${name}`)))
    .map((one) => missing(one, grantees));
}

function missing(
  { kind, name, signature, isGranted, isOverloaded }: Missing,
  grantees: Pick<ApiRoles, "anonymous" | "member">,
): Finding {
  const right = kind === "function" ? "execute on function" : "select on";
  const [reason, advice] = !isGranted
    ? [
        `No role of the API may ${kind === "function" ? "execute" : "read"} it.`,
        `grant ${right} ${signature} to ${grantees.member}; and to ${grantees.anonymous}, if callers need no token. Or move it to another schema.`,
      ]
    : isOverloaded
      ? [
          `Another function is called ${name} as well. The API leaves out both.`,
          "Give one of them another name: alter function … rename to …",
        ]
      : [
          "The API has no type for its result or for an argument.",
          "Use a type that a column could have, for example a composite type: create type … as (…). Or move it to another schema.",
        ];
  return findingOf("left-out", name, `${signature} is not in the API.`, { reason, advice });
}
