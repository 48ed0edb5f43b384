import type { ClientBase } from "pg";
import { type Node, nodesOf } from "../sql/parse.ts";
import type { SqlStatement } from "../sql/statements.ts";

/** What belongs to the server, and not to one database: roles, memberships, settings of roles, other databases. Texts by their names. */
export type ServerObjects = Map<string, string>;

/**
 * Reads the shared catalogues, without what goes with the connection's own database when that is dropped. In a transaction with the isolation level
 * `repeatable read`, only the transaction's own changes show.
 */
export async function readServerObjects(client: ClientBase): Promise<ServerObjects> {
  const { rows: of } = await client.query<{ version: number; seesPasswords: boolean }>(
    `select current_setting('server_version_num')::int as version,
            has_table_privilege('pg_catalog.pg_authid', 'select') as "seesPasswords"`,
  );
  const { version = 0, seesPasswords = false } = of[0] ?? {};
  const { rows } = await client.query<{ name: string; value: string }>(
    [
      `select 'role ' || quote_ident(rolname) as name, (to_jsonb(r)${seesPasswords ? "" : " - 'rolpassword'"})::text as value
         from pg_catalog.${seesPasswords ? "pg_authid" : "pg_roles"} r`,
      `select format('membership of %s in %s', ${named("member")}, ${named("roleid")}) ||
              case when ${version >= 160000} then ', granted by ' || ${named("grantor")} else '' end, to_jsonb(m)::text
         from pg_catalog.pg_auth_members m`,
      `select format('settings of %s in %s', case setrole when 0 then 'all roles' else ${named("setrole")} end,
                     case setdatabase when 0 then 'all databases'
                                      else 'the database ' || (select quote_ident(datname) from pg_catalog.pg_database where oid = setdatabase) end),
              setconfig::text
         from pg_catalog.pg_db_role_setting where setdatabase <> ${own}`,
      `select 'database ' || quote_ident(datname),
              (to_jsonb(d) - '{datfrozenxid, datminmxid, datlastsysoid}'::text[])::text
         from pg_catalog.pg_database d where oid <> ${own}`,
      "select 'tablespace ' || quote_ident(spcname), to_jsonb(t)::text from pg_catalog.pg_tablespace t",
      `select format('comment on %s %s', classoid::regclass, objoid), description
         from pg_catalog.pg_shdescription where (classoid, objoid) <> ('pg_catalog.pg_database'::regclass, ${own})`,
      `select format('security label of %s %s', classoid::regclass, objoid), label
         from pg_catalog.pg_shseclabel where (classoid, objoid) <> ('pg_catalog.pg_database'::regclass, ${own})`,
      `select 'subscription ' || quote_ident(subname), jsonb_build_array(subdbid, subowner, subenabled, subslotname, subpublications)::text
         from pg_catalog.pg_subscription`,
      "select 'replication origin ' || roname, roident::text from pg_catalog.pg_replication_origin",
      `select 'replication slot ' || slot_name, plugin::text from pg_catalog.pg_replication_slots where not temporary`,
      ...(version >= 150000 ? ["select 'parameter ' || parname, paracl::text from pg_catalog.pg_parameter_acl"] : []),
    ].join("\nunion all\n"),
  );
  return new Map(rows.map(({ name, value }) => [name, value ?? ""]));
}

/** The names of what two states differ in. */
export function changedObjects(before: ServerObjects, after: ServerObjects): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

const own = "(select oid from pg_catalog.pg_database where datname = current_database())";

function named(role: string): string {
  return `${role}::regrole::text`;
}

/** Statements that PostgreSQL refuses in a transaction, and that reach no further than their database. */
const ofOneDatabase = new Set(["IndexStmt", "DropStmt", "ReindexStmt", "VacuumStmt", "ClusterStmt", "AlterTableStmt"]);

/** Whether a statement that PostgreSQL refuses in a transaction changes its own database only. */
export function staysInDatabase({ kind, node }: SqlStatement): boolean {
  return kind === "CallStmt" || kind === "DoStmt"
    ? false
    : ofOneDatabase.has(kind ?? "") && node["kind"] !== "REINDEX_OBJECT_SYSTEM";
}

/** Functions with effects outside of their database that no rollback undoes. */
const outsideFunctions =
  /^(pg_(create|copy|drop)_\w*replication_slot|pg_replication_(slot_advance|origin_\w+)|pg_(terminate|cancel)_backend|pg_(reload_conf|rotate_logfile|promote|switch_wal|create_restore_point|wal_replay_\w+|logical_emit_message)|pg_file_\w+|lo_export|dblink\w*)$/;

/** What a statement does outside of its database that no rollback undoes; undefined for the others. */
export function outsideEffect({ kind, node }: SqlStatement): string | undefined {
  if (kind === "TransactionStmt") {
    return /_(COMMIT|ROLLBACK|BEGIN|START|PREPARE|COMMIT_PREPARED|ROLLBACK_PREPARED)$/.test(node["kind"])
      ? "It ends the transaction of its migration"
      : undefined;
  }
  if (kind === "AlterSystemStmt") return "It writes a setting of the server";
  if (kind === "CopyStmt" && node["filename"] && (node["is_program"] || !node["is_from"])) {
    return "It runs a program or writes a file on the server";
  }
  const called = nodesOf(node, "FuncCall").map(({ funcname }) => String((funcname as Node[]).at(-1)?.["String"]?.sval));
  const found = called.find((name) => outsideFunctions.test(name));
  return found && `It calls ${found}()`;
}
