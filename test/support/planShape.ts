import type pg from "pg";
import { rolledBack } from "../../tools/support/rolledBack.ts";
import type { Statement } from "./statements.ts";

interface PlanNode {
  "Node Type": string;
  "Parent Relationship"?: string;
  "Relation Name"?: string;
  "Function Name"?: string;
  "Index Name"?: string;
  Plans?: PlanNode[];
}

/**
 * Leaves only the plan that the indexes allow, so that neither statistics nor the amount of data choose the plan: a
 * sequential scan or a sort that remains has no index to replace it. PostgreSQL 18 ignores enable_seqscan when it
 * chooses between the two ways to run an `exists`, hence the cost.
 */
const settings = `
  set local max_parallel_workers_per_gather = 0; set local seq_page_cost = 1e6;
  set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off;
  set local enable_mergejoin = off; set local enable_hashagg = off; set local enable_sort = off;
  set local enable_incremental_sort = off; set local enable_material = off; set local enable_memoize = off;`;

/** Nodes that PostgreSQL's major versions place differently. Their children stand in their place. */
const leftOut = ["Result", "Subquery Scan", "Materialize", "Memoize"];

/**
 * The plan of a statement as its caller gets it, policies included: one line a node with its table, function and index.
 * The plan has no names that the engine chose, no costs and no conditions, so it is the same in PostgreSQL 14 to 18.
 */
export function planShape(login: pg.Pool, { text, values, identity }: Statement): Promise<string> {
  return rolledBack(login, async (client) => {
    await client.query(settings);
    if (identity) await client.query(identity.text, identity.values);
    const { rows } = await client.query(`explain (costs off, format json) ${text}`, values);
    return lines(rows[0]["QUERY PLAN"][0].Plan, "").join("\n") || "No table";
  });
}

function lines(node: PlanNode, indent: string): string[] {
  const parent = node["Parent Relationship"] ?? "";
  const isSubPlan = /^(SubPlan|InitPlan)$/.test(parent);
  const isLeftOut = leftOut.includes(node["Node Type"]);
  const children = node.Plans ?? [];
  if (isLeftOut && (!isSubPlan || children.length === 0)) return children.flatMap((child) => lines(child, indent));
  // An index-only scan depends on what vacuum has done.
  const type = isLeftOut ? "" : node["Node Type"].replace("Index Only Scan", "Index Scan");
  const source = node["Relation Name"] ?? node["Function Name"];
  const index = node["Index Name"];
  const line = [isSubPlan ? `${parent}:` : "", type, source ? `on ${source}` : "", index ? `by ${index}` : ""]
    .filter((part) => part !== "")
    .join(" ");
  return [indent + line, ...children.flatMap((child) => lines(child, `${indent}  `))];
}
