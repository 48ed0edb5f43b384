import type { Finding, Level } from "./finding.ts";
import type { Node } from "./plpgsqlTree.ts";
import { nodesOf, placeOf, type SqlStatement } from "./statements.ts";

/** What `--allow` names, with its level, reason and advice. */
const rules = {
  truncate: {
    level: "refused",
    reason: "The rows are lost, and all queries of the table wait until the migration ends.",
    advice: "Keep them: rename the table, and drop it later. Or, if nobody needs them: --allow truncate",
  },
  "delete-all-rows": {
    level: "refused",
    reason: "The rows are lost.",
    advice: "Name the rows: where … Or, if nobody needs them: --allow delete-all-rows",
  },
  "update-all-rows": {
    level: "dangerous",
    reason: "Each row is written anew, and cannot be changed by others until the migration ends.",
    advice: "Name the rows that need it: where … is null. On a large table, fill it in batches before.",
  },
  "drop-policy": {
    level: "dangerous",
    reason: "Without a permissive policy its roles lose rows. Without a restrictive one they see more.",
    advice: "Adapt test/permissions, which shows who sees what.",
  },
  "alter-policy": {
    level: "dangerous",
    reason: "Its roles may see or change other rows than before.",
    advice: "Adapt test/permissions, which shows who sees what.",
  },
  "create-policy": {
    level: "dangerous",
    reason: "Its roles see or change more rows than before, or fewer if it is restrictive.",
    advice: "Adapt test/permissions, which shows who sees what.",
  },
  "disable-row-level-security": {
    level: "refused",
    reason: "Each role that may read the table then sees all of its rows.",
    advice: "Write a policy that allows what you need: create policy … to … using (…)",
  },
  revoke: {
    level: "dangerous",
    reason: "Requests that need the right are then answered with UNAUTHORIZED, or their fields leave the API.",
    advice: "Revoke it when no client needs it any more, and adapt test/permissions.",
  },
  "drop-table": {
    level: "dangerous",
    reason: "The rows are lost.",
    advice: "Make sure that nobody needs them.",
  },
  "drop-column": {
    level: "dangerous",
    reason: "Its values are lost.",
    advice: "Make sure that nobody needs them.",
  },
  "change-default": {
    level: "dangerous",
    reason: "Writes that leave the column out store another value. Without a default, they fail if it is not null.",
    advice: "Make sure that each function that inserts such rows gives the column.",
  },
  "add-constraint": {
    level: "dangerous",
    reason: "Writes that break it are refused, and the migration fails if existing rows do, unless it is not valid.",
    advice: "Make sure that clients do not write such rows any more.",
  },
  "drop-constraint": {
    level: "dangerous",
    reason: "Writes that it refuses are accepted from then on.",
    advice: "Make sure that readers expect such rows.",
  },
  "create-trigger": {
    level: "dangerous",
    reason: "It may change, refuse or skip each write to the table.",
    advice: "Try the mutations that write to the table: npm test.",
  },
  "drop-trigger": {
    level: "dangerous",
    reason: "Writes are no longer completed, checked, recorded or told to subscribers by it.",
    advice: "Try the mutations that write to the table: npm test.",
  },
  "unreadable-sql": {
    level: "dangerous",
    reason: "Its text is known only when it runs, or is not in the language of PostgreSQL 18.",
    advice: "Write it as statements, or as execute format('…', …) with the whole statement in the text.",
  },
} satisfies Record<string, { level: Level; reason: string; advice: string }>;

type RuleName = keyof typeof rules;

/**
 * Finds statements that lose rows, or change what roles may see. What the change itself creates does not count: repeatable
 * migrations drop a thing before they create it.
 */
export function lintStatements(change: SqlStatement[], earlier: SqlStatement[]): Finding[] {
  const old = new Set(earlier.flatMap(createdBy));
  const created = new Set(change.flatMap(createdBy));
  // Only of this change, whether it exists already or not.
  const isNew = (thing: string) => created.has(thing) && !old.has(thing);
  return change.flatMap((statement) =>
    offencesOf(statement)
      .filter(({ things }) => things.length === 0 || !things.every(isNew))
      // Dropped only if it exists, which it never did.
      .filter(({ things, isOptional }) => !(isOptional && !things.some((thing) => old.has(thing))))
      .map(({ rule, message }): Finding => ({ ...rules[rule], name: rule, message, location: placeOf(statement) })),
  );
}

interface Offence {
  rule: RuleName;
  message: string;
  /** The things that it is about, as `createdBy` names them. */
  things: string[];
  /** `if exists`. */
  isOptional?: boolean;
}

/** The names of what a statement creates: `table app_public.posts`, `column app_public.posts.title`, `policy x on …`. */
function createdBy({ kind, node }: SqlStatement): string[] {
  switch (kind) {
    case "CreateStmt":
      return [
        table(node["relation"]),
        ...nodesOf(node["tableElts"], "ColumnDef").map(({ colname }) => column(node["relation"], colname)),
      ];
    case "CreateTableAsStmt":
      return [table(node["into"].rel)];
    case "ViewStmt":
      return [table(node["view"])];
    case "AlterTableStmt":
      return commandsOf(node, "AT_AddColumn").map(({ def }) => column(node["relation"], def.ColumnDef.colname));
    case "CreatePolicyStmt":
      return [policy(node["policy_name"], nameOf(node["table"]))];
    case "CreateFunctionStmt":
      return [`function ${dotted(node["funcname"])}`];
    default:
      return [];
  }
}

function offencesOf({ kind, node }: SqlStatement): Offence[] {
  const root = { [kind ?? ""]: node };
  const wholeTables = (type: string) =>
    nodesOf(root, type).filter(({ whereClause }) => !whereClause || isConstant(whereClause));
  return [
    ...wholeTables("DeleteStmt").map(({ relation }) =>
      offence("delete-all-rows", `All rows of ${nameOf(relation)} are deleted.`, [table(relation)]),
    ),
    ...wholeTables("UpdateStmt").map(({ relation }) =>
      offence("update-all-rows", `All rows of ${nameOf(relation)} are updated.`, [table(relation)]),
    ),
    ...ofKind(kind, node),
  ];
}

function ofKind(kind: string | undefined, node: Node): Offence[] {
  switch (kind) {
    case undefined:
      return [offence("unreadable-sql", "The review cannot read the SQL that this runs.", [])];
    case "TruncateStmt":
      return node["relations"].map(({ RangeVar: relation }: Node) =>
        offence("truncate", `${nameOf(relation)} is truncated.`, [table(relation)]),
      );
    case "AlterPolicyStmt": {
      const { policy_name: name, table: relation } = node;
      return [
        offence("alter-policy", `The policy ${name} on ${nameOf(relation)} changes.`, [policy(name, nameOf(relation))]),
      ];
    }
    case "CreatePolicyStmt": {
      const { policy_name: name, table: relation } = node;
      return [offence("create-policy", `${nameOf(relation)} has a new policy, ${name}.`, [table(relation)])];
    }
    case "CreateTrigStmt": {
      const { trigname: name, relation } = node;
      return [offence("create-trigger", `${nameOf(relation)} has a new trigger, ${name}.`, [table(relation)])];
    }
    case "DropStmt":
      return dropsOf(node);
    case "GrantStmt":
      return node["is_grant"] ? [] : [revokeOf(node)];
    case "GrantRoleStmt":
      return node["is_grant"] ? [] : [offence("revoke", "A membership in a role is revoked.", [])];
    case "AlterTableStmt":
      return nodesOf(node["cmds"], "AlterTableCmd").flatMap((command) => alterationOf(node, command));
    default:
      return [];
  }
}

function alterationOf({ relation, missing_ok: isOptional }: Node, command: Node): Offence[] {
  const { subtype, name, def, missing_ok: isOptionalPart } = command;
  const on = nameOf(relation);
  switch (subtype) {
    case "AT_DisableRowSecurity":
      return [offence("disable-row-level-security", `Row-level security of ${on} is disabled.`, [])];
    case "AT_DropColumn":
      return [
        {
          ...offence("drop-column", `The column ${on}.${name} is dropped.`, [column(relation, name)]),
          isOptional: Boolean(isOptional || isOptionalPart),
        },
      ];
    case "AT_ColumnDefault":
      return [
        offence("change-default", `The default of ${on}.${name} ${def ? "changes" : "is dropped"}.`, [
          column(relation, name),
        ]),
      ];
    case "AT_AddConstraint":
      return [offence("add-constraint", `${on} has a new constraint.`, constrained(relation, def.Constraint))];
    case "AT_DropConstraint":
      return [offence("drop-constraint", `The constraint ${name} of ${on} is dropped.`, [table(relation)])];
    case "AT_DisableTrig":
    case "AT_DisableTrigAll":
    case "AT_DisableTrigUser":
      return [offence("drop-trigger", `Triggers of ${on} are disabled.`, [table(relation)])];
    default:
      return [];
  }
}

/** The columns that a constraint restricts; the table, if it also refuses rows that leave them out. */
function constrained(relation: Node, constraint: Node): string[] {
  const columns = [
    ...nodesOf(constraint, "ColumnRef").map(({ fields }) => fields.at(-1).String?.sval),
    ...[...(constraint["keys"] ?? []), ...(constraint["fk_attrs"] ?? [])].map(({ String: word }: Node) => word.sval),
  ];
  const isRequired = nodesOf(constraint, "NullTest").some(({ nulltesttype }) => nulltesttype === "IS_NOT_NULL");
  return columns.length === 0 || isRequired ? [table(relation)] : columns.map((name) => column(relation, name));
}

function dropsOf({ removeType, objects, missing_ok: isOptional }: Node): Offence[] {
  return objects.flatMap(({ List: list }: Node): Offence[] => {
    const names: string[] = (list?.items ?? []).map(({ String: word }: Node) => word?.sval);
    if (removeType === "OBJECT_TABLE") {
      const name = names.join(".");
      return [{ ...offence("drop-table", `The table ${name} is dropped.`, [`table ${name}`]), isOptional }];
    }
    const [name = "", relation] = [names.at(-1), names.slice(0, -1).join(".")];
    if (removeType === "OBJECT_TRIGGER") {
      return [offence("drop-trigger", `The trigger ${name} on ${relation} is dropped.`, [`table ${relation}`])];
    }
    if (removeType !== "OBJECT_POLICY") return [];
    const dropped = offence("drop-policy", `The policy ${name} on ${relation} is dropped.`, [policy(name, relation)]);
    return [{ ...dropped, isOptional }];
  });
}

function revokeOf({ objects = [], privileges = [], grantees = [] }: Node): Offence {
  const rights = privileges.map(({ AccessPriv: right }: Node) => right.priv_name).join(", ") || "all rights";
  const from = grantees.map(({ RoleSpec: role }: Node) => role.rolename ?? "public").join(", ");
  const things: string[] = objects.map(({ RangeVar: relation, ObjectWithArgs: routine, String: word }: Node) =>
    relation ? table(relation) : routine ? `function ${dotted(routine.objname)}` : (word?.sval ?? "others"),
  );
  const names = things.map((thing) => thing.replace(/^\w+ (?=.)/, "")).join(", ");
  return offence("revoke", `${rights} on ${names} is revoked from ${from}.`, things);
}

function offence(rule: RuleName, message: string, things: string[]): Offence {
  return { rule, message, things };
}

function commandsOf(node: Node, subtype: string): Node[] {
  return nodesOf(node["cmds"], "AlterTableCmd").filter((command) => command["subtype"] === subtype);
}

/** A condition that is the same for all rows, such as `true`. */
function isConstant(condition: unknown): boolean {
  return !/"(ColumnRef|SubLink|FuncCall|CurrentOfExpr)"/.test(JSON.stringify(condition));
}

function nameOf({ schemaname, relname }: Node): string {
  return [schemaname, relname].filter(Boolean).join(".");
}

function table(relation: Node): string {
  return `table ${nameOf(relation)}`;
}

function column(relation: Node, name: string): string {
  return `column ${nameOf(relation)}.${name}`;
}

function policy(name: string, relation: string): string {
  return `policy ${name} on ${relation}`;
}

function dotted(names: Node[]): string {
  return names.map(({ String: word }) => word.sval).join(".");
}
