import { readFileSync } from "node:fs";
import type { ClientBase } from "pg";
import type { Project } from "../../Project.ts";
import { schemasOf } from "../../schemas.ts";
import { type Finding, findingOf } from "../finding.ts";
import { parseBody } from "../functions/plpgsqlTree.ts";
import { type Node, nodesOf, parse } from "../sql/parse.ts";

/** Callers of the API that reach a column or a function, from the fewest to all. */
const audiences = ["by nobody", "by admins", "by its owner", "by members", "without a token"] as const;

/** A column, a foreign key or a function, and the callers of the API that reach it. */
export interface Exposure {
  kind: "column" | "foreign key" | "function";
  /** As in ApiSources: `shop.items.title`, `items (owner_id)`, `shop.search`. */
  name: string;
  /** The same before and after a rename. */
  identity: string;
  /** Of a column its table, of a function its signature. */
  object: string;
  audience: (typeof audiences)[number];
  /** Of a function. */
  isDefiner: boolean;
  language: string;
  /** Empty for a parsed body (`begin atomic`), which the definition has. */
  source: string;
  definition: string;
}

/**
 * Reads for each column and function the callers of the API that rights, row-level security and policies let through. None where the
 * project has no API.
 */
export async function readExposures(client: ClientBase, project: Project): Promise<Exposure[]> {
  if (!project.api) return [];
  const { anonymous, member, adminPolicy = never, ownerPolicy = never } = project.api.roles;
  // Published schemas have readers of their own, with other roles.
  const schemas = await schemasOf(client, { ...project, publishedSchemas: [] });
  await client.query("set local search_path = ''");
  return (await client.query<Exposure>(text, [anonymous, member, schemas, adminPolicy, ownerPolicy])).rows;
}

/**
 * Finds what more callers of the API can read than before: columns, and functions that read with the rights of their owner.
 * Call `loadModule()` of libpg-query first.
 */
export function compareExposures(before: Exposure[], after: Exposure[]): Finding[] {
  return [...exposedColumns(before, after), ...definerFunctions(before, after)];
}

/** The audience of a thing in ApiSources, such as `the column shop.items.title`. */
export function audienceOf(thing: string | undefined, exposures: Exposure[]): string | undefined {
  return exposures.find(({ kind, name }) => `the ${kind} ${name}` === thing)?.audience;
}

const rankOf = (exposure: Exposure | undefined) => audiences.indexOf(exposure?.audience ?? "by nobody");

/** The same column or function before the change, also under another name. */
function formerOf({ kind, identity, name, object }: Exposure, before: Exposure[]): Exposure | undefined {
  const same = before.filter((one) => one.kind === kind);
  return (
    same.find((one) => one.identity === identity) ?? same.find((one) => one.name === name && one.object === object)
  );
}

function exposedColumns(before: Exposure[], after: Exposure[]): Finding[] {
  const columns = after.filter(({ kind }) => kind === "column");
  const gained = columns.flatMap((now) => {
    const old = formerOf(now, before);
    const isWider = rankOf(now) > rankOf(old) && (old !== undefined || now.audience === "without a token");
    const was = old ? `and was readable ${old.audience}` : "and is new";
    return isWider ? [{ ...now, message: `is readable ${now.audience}, ${was}.` }] : [];
  });
  return [...Map.groupBy(gained, ({ object, message }) => `${object} ${message}`).values()].flatMap((same) => {
    const [{ object, message }] = same as [(typeof same)[number]];
    const isWhole = same.length === columns.filter((column) => column.object === object).length;
    return (isWhole ? [object] : same.map(({ name }) => name)).map((exposed) =>
      findingOf("exposed", exposed, `${exposed} ${message}`),
    );
  });
}

function definerFunctions(before: Exposure[], after: Exposure[]): Finding[] {
  const changed = after
    .filter((now) => now.definition !== (formerOf(now, before)?.definition ?? ""))
    .map(({ name }) => name);
  return after.flatMap((now): Finding[] => {
    if (!now.isDefiner || now.audience === "by nobody") return [];
    const old = formerOf(now, before);
    const isWider = !old?.isDefiner || rankOf(now) > rankOf(old);
    // Its own definition has its name, too.
    if (!isWider && !changed.some((name) => now.definition.includes(`${name}(`))) return [];
    const known = old && !isWider ? readsOf(old, before) : [];
    const reads = readsOf(now, after).filter((read) => !known.includes(read));
    if (reads.length === 0 && !isWider) return [];
    const what = `${isWider ? "" : "now also "}reads ${reads.join(", ") || "no table"}`;
    const message = `${now.object} runs with its owner's rights, may be called ${now.audience}, and ${what}.`;
    return [findingOf("definer-function", now.name, message)];
  });
}

/** The columns that a function reads, also in functions that it calls: `shop.customers.email`. */
function readsOf(routine: Exposure, all: Exposure[]): string[] {
  const [reads, seen] = [new Set<string>(), new Set<Exposure>()];
  const follow = (one: Exposure) => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const tree of treesOf(one)) {
      if (tree === undefined) reads.add(`SQL that ${one.name} builds as text`);
      for (const column of columnsIn(tree, all)) reads.add(column);
      for (const { funcname } of nodesOf(tree, "FuncCall")) {
        const name = (funcname as Node[]).map((part) => part["String"]?.sval).join(".");
        for (const called of all) if (called.kind === "function" && called.name === name) follow(called);
      }
    }
  };
  follow(routine);
  return [...reads].sort();
}

/** The statements of a function; undefined for one that only a call knows. */
function treesOf({ language, source, definition }: Exposure): (Node | undefined)[] {
  const statements =
    language === "plpgsql" ? parseBody(definition).statements : [{ sql: source || definition, kind: "" }];
  return statements.flatMap(({ sql, kind }) =>
    /dynexecute|dynfors/.test(kind) ? [undefined] : parse(sql).map((one) => (one.kind ? one.node : undefined)),
  );
}

/** The columns of the tables in a statement that it names, by themselves or with the whole row. */
function columnsIn(tree: Node | undefined, all: Exposure[]): string[] {
  const named = nodesOf(tree, "ColumnRef").map(({ fields }): string => fields.at(-1).String?.sval ?? "*");
  return [...nodesOf(tree, "RangeVar"), ...nodesOf(tree, "relation")].flatMap(({ schemaname, relname, alias }) => {
    const isWhole = ["*", relname, alias?.aliasname].some((name) => named.includes(name));
    return all
      .filter(({ kind, object }) => kind === "column" && object === `${schemaname}.${relname}`)
      .map(({ name }) => name)
      .filter((name) => isWhole || named.includes(name.slice(name.lastIndexOf(".") + 1)));
  });
}

/** A regular expression that nothing matches. */
const never = "$.";

const text = readFileSync(new URL("exposures.sql", import.meta.url), "utf8");
