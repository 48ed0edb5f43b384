import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import type { Project } from "../../Project.ts";
import { schemasOf } from "../../schemas.ts";

/** The properties of a thing, such as `volatility` with `stable`. */
export type Properties = Map<string, string>;

/** The properties that decide how the things of a database behave, by name: `policy select_own on shop.items`. */
export type Behaviours = Map<string, Properties>;

/**
 * Reads what a migration can change without any error and without a change of the API's types: functions, policies, triggers,
 * views, constraints, defaults, owners and rights. Leaves out what extensions and hooks make.
 */
export async function readBehaviours(client: ClientBase, project: Project): Promise<Behaviours> {
  const { functions = never, triggers = never } = project.generated ?? {};
  const schemas = await schemasOf(client, project);
  // Definitions then contain the schemas of what they name.
  await client.query("set local search_path = ''");
  const { rows } = await client.query<{ thing: string; property: string; value: string }>(text, [
    schemas,
    functions,
    triggers,
  ]);
  const behaviours: Behaviours = new Map();
  for (const { thing, property, value } of rows) {
    const properties = behaviours.get(thing) ?? new Map();
    behaviours.set(thing, properties.set(property, value));
  }
  return behaviours;
}

/** A regular expression that nothing matches. */
const never = "$.";

const text = readFileSync(new URL("behaviours.sql", import.meta.url), "utf8");
