import pg from "pg";

/** A node of a plan, as `explain (analyze, verbose, format json)` prints it. */
interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  Schema?: string;
  Alias?: string;
  "Index Name"?: string;
  Filter?: string;
  "Index Cond"?: string;
  "Recheck Cond"?: string;
  "Sort Key"?: string[];
  "Total Cost": number;
  "Actual Rows"?: number;
  "Rows Removed by Filter"?: number;
  "Actual Loops"?: number;
  Plans?: PlanNode[];
}

/** An index that a plan seems to lack. */
interface Candidate {
  schema: string;
  table: string;
  /** Columns, with `DESC` where the order needs it. */
  columns: string[];
  /** The index that gives the rows their order now. Its columns belong behind `columns`. */
  orderedBy: string | undefined;
  reason: string;
}

/** Reading or sorting fewer rows than this is quick without an index. */
const manyRows = 1_000;

/**
 * Names indexes that the plan of a statement seems to lack: where a filter removes many rows, and where many are sorted.
 * With the extension hypopg, each index is tried on this connection only.
 *
 * @param client in a transaction, which undoes what the statement does
 */
export async function adviseIndexes(
  client: pg.ClientBase,
  text: string,
  values: readonly unknown[],
): Promise<string[]> {
  const plan = await readPlan(client, "analyze, verbose", text, values);
  const hypopg = await schemaOfHypopg(client);
  const advice = new Set<string>();
  for (const candidate of findCandidates(plan)) {
    const columns = await missingColumns(client, candidate);
    if (!columns) continue;
    const index = `create index on ${candidate.schema}.${candidate.table} (${columns.join(", ")})`;
    if (hypopg === undefined) {
      advice.add(`${candidate.reason}. Consider: ${index}`);
      continue;
    }
    await client.query(`select ${hypopg}.hypopg_create_index($1)`, [index]);
    const after = await readPlan(client, "verbose", text, values);
    await client.query(`select ${hypopg}.hypopg_reset()`);
    // hypopg's indexes are named <oid>btree_…
    const isUsed = JSON.stringify(after).includes('"Index Name":"<');
    const costs = `${Math.round(plan["Total Cost"])} to ${Math.round(after["Total Cost"])}`;
    const effect = isUsed ? `lowers the estimated cost from ${costs}` : "would not be used, by the planner's estimates";
    advice.add(`${candidate.reason}. Consider: ${index} (hypopg: it ${effect})`);
  }
  return [...advice];
}

async function readPlan(
  client: pg.ClientBase,
  options: string,
  text: string,
  values: readonly unknown[],
): Promise<PlanNode> {
  const { rows } = await client.query({ text: `explain (${options}, format json) ${text}`, values: [...values] });
  return rows[0]["QUERY PLAN"][0].Plan;
}

/** @returns the quoted schema, or undefined where the caller may not use the extension */
async function schemaOfHypopg(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ schema: string }>(`
    select nspname as schema
      from pg_catalog.pg_extension
      join pg_catalog.pg_namespace on pg_namespace.oid = extnamespace
     where extname = 'hypopg' and has_schema_privilege(pg_namespace.oid, 'usage')
       and has_function_privilege(to_regprocedure(format('%I.hypopg_create_index(text)', nspname)), 'execute')
       and has_function_privilege(to_regprocedure(format('%I.hypopg_reset()', nspname)), 'execute')`);
  return rows[0] && pg.escapeIdentifier(rows[0].schema);
}

/** @param sortKeys the order that the rows of this node are brought into afterwards */
function findCandidates(node: PlanNode, sortKeys: string[] = []): Candidate[] {
  const { Plans: children = [] } = node;
  const scan = candidateOf(node, sortKeys);
  const isChain = children.length === 1 && !node["Node Type"].includes("Aggregate");
  const below = node["Sort Key"] ?? (isChain ? sortKeys : []);
  return [...(scan ? [scan] : []), ...children.flatMap((child) => findCandidates(child, below))];
}

function candidateOf(node: PlanNode, sortKeys: string[]): Candidate | undefined {
  const { Schema: schema, "Relation Name": table, Alias: alias = "" } = node;
  if (!schema || !table) return undefined;
  const conditions = [node.Filter, node["Index Cond"], node["Recheck Cond"]].join(" ");
  const name = `"?${alias.replace(/\W/g, "\\$&")}"?`;
  const compared = (operators: string) => [
    ...conditions.matchAll(new RegExp(`(?<!\\w)${name}\\.(\\w+)\\)?(?:::\\w+)? (?:${operators}) `, "g")),
  ];
  const equal = compared("=").map(([, column = ""]) => column);
  const ranged = compared("<|>|<=|>=").map(([, column = ""]) => column);
  const sorted = sortKeys.map((key) => new RegExp(`^${name}\\.(\\w+( DESC)?)$`).exec(key)?.[1]);
  const { "Actual Loops": loops = 1, "Actual Rows": rows = 0, "Rows Removed by Filter": removed = 0 } = node;
  const isSorted = rows * loops >= manyRows && sorted.length > 0 && sorted.every((key) => key !== undefined);
  const isFiltered = removed * loops >= manyRows;
  const columns = [...new Set([...equal, ...(isSorted ? (sorted as string[]) : ranged.slice(0, 1))])];
  if (columns.length === 0 || !(isSorted || isFiltered)) return undefined;
  const work = [
    isFiltered ? `reads ${removed * loops} rows of ${table} for nothing` : undefined,
    isSorted ? `sorts ${rows * loops} rows of ${table} by ${sorted.join(", ")}` : undefined,
  ];
  const orderedBy = node["Index Cond"] === undefined ? node["Index Name"] : undefined;
  return { schema, table, columns, orderedBy, reason: `The plan ${work.filter(Boolean).join(" and ")}` };
}

/** The columns of the index, unless there is one that begins with them. */
async function missingColumns(client: pg.ClientBase, candidate: Candidate): Promise<string[] | undefined> {
  const { schema, table, orderedBy } = candidate;
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select index.relname as name, array_agg(attname || case when indoption[place - 1] & 1 = 1 then ' DESC' else '' end order by place) as columns
       from pg_catalog.pg_index
       join pg_catalog.pg_class as index on index.oid = indexrelid
       cross join lateral unnest(indkey::int2[]) with ordinality as keys (number, place)
       join pg_catalog.pg_attribute on attrelid = indrelid and attnum = number
      where indrelid = to_regclass($1) and indpred is null and place <= indnkeyatts
      group by index.relname`,
    [[schema, table].map((part) => pg.escapeIdentifier(part)).join(".")],
  );
  const order = rows.find(({ name }) => name === orderedBy)?.columns ?? [];
  const columns = [...new Set([...candidate.columns, ...order])];
  const beginsAlike = (existing: string[]) =>
    columns.every((column, place) => nameOf(column) === nameOf(existing[place] ?? ""));
  return rows.some((index) => beginsAlike(index.columns)) ? undefined : columns;
}

const nameOf = (column: string) => column.replace(/ DESC$/, "");
