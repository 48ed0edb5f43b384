import type { ClientBase } from "pg";
import { roles } from "../../migrations/gmrc.ts";
import { type Finding, findingOf } from "../finding.ts";
import { parseBody } from "../functions/plpgsqlTree.ts";
import { type Node, nodesOf, parse } from "../sql/parse.ts";

/** Callers of the API that reach a column or a function, from the fewest to all. */
const audiences = ["by nobody", "by admins", "by its owner", "by members", "without a token"] as const;

/** A column, a foreign key or a function, and the callers of the API that reach it. */
export interface Exposure {
  kind: "column" | "foreign key" | "function";
  /** As in ApiSources: `app_public.posts.title`, `posts (author_id)`, `app_public.feed`. */
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

/** Reads for each column and function the callers that rights, row-level security and policies let through. */
export async function readExposures(client: ClientBase): Promise<Exposure[]> {
  await client.query("set local search_path = ''");
  return (await client.query<Exposure>(text, [roles.anonymous, roles.member])).rows;
}

/**
 * Finds what more callers of the API can read than before: columns, and functions that read with the rights of their owner.
 * Call `loadModule()` of libpg-query first.
 */
export function compareExposures(before: Exposure[], after: Exposure[]): Finding[] {
  return [...exposedColumns(before, after), ...definerFunctions(before, after)];
}

/** The audience of a thing in ApiSources, such as `the column app_public.posts.title`. */
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

/** The columns that a function reads, also in functions that it calls: `app_private.accounts.email`. */
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

// A policy that begins with `author_id = (select app_hidden.viewer_id())` leaves each row to its owner; one that does more than that and
// ask for an admin counts as open to its roles.
const text = `
  with ours as (select oid, nspname from pg_catalog.pg_namespace where conventions.is_covered(nspname)),
  rows_of as (
    select c.oid, role,
           not relrowsecurity or count(polname) > 0 as is_open,
           case when not relrowsecurity then 'by members'
                when bool_and(condition ~ '^\\( SELECT app_hidden\\.viewer_is_admin\\(') then 'by admins'
                when bool_and(condition ~ '^\\( SELECT app_hidden\\.viewer_is_admin\\('
                  or condition ~ '^\\(+\\w+ = \\( SELECT app_hidden\\.viewer_id\\(' and condition !~ ' OR ') then 'by its owner'
                else 'by members' end as audience
      from pg_catalog.pg_class c
      join ours on ours.oid = c.relnamespace
     cross join unnest(array[$1, $2]::name[]) as role
      left join pg_catalog.pg_policy on polrelid = c.oid and polpermissive and polcmd in ('r', '*')
        and exists (select from unnest(polroles) as granted
                     where case granted when 0 then true else pg_has_role(role, granted, 'member') end)
      left join lateral (select coalesce(pg_get_expr(polqual, polrelid), 'true')) as rule (condition) on true
     where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition and has_schema_privilege(role, ours.oid, 'usage')
     group by c.oid, relrowsecurity, role),
  columns as (
    select c.oid, c.relname, attnum, attname,
           coalesce(max(case role when $1 then 'without a token' else audience end)
             filter (where is_open and has_column_privilege(role, c.oid, attnum, 'select')), 'by nobody') as audience
      from pg_catalog.pg_class c
      join ours on ours.oid = c.relnamespace
      join pg_catalog.pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
      left join rows_of on rows_of.oid = c.oid
     where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
     group by c.oid, c.relname, attnum, attname)
  select 'column' as kind, format('%s.%I', oid::regclass, attname) as name, concat_ws('.', oid, attnum) as identity,
         oid::regclass::text as object, audience, false as "isDefiner", '' as language, '' as source, '' as definition
    from columns
  union all
  select 'foreign key', format('%s (%s)', relname,
           (select string_agg(a.attname, ', ' order by place)
              from unnest(conkey) with ordinality as key (attnum, place) join pg_catalog.pg_attribute a on a.attrelid = conrelid and a.attnum = key.attnum)),
         k.oid::text, conrelid::regclass::text, audience, false, '', '', ''
    from columns join pg_catalog.pg_constraint k on contype = 'f' and conrelid = columns.oid and conkey[1] = attnum
  union all
  select 'function', format('%I.%I', nspname, proname), p.oid::text, p.oid::regprocedure::text,
         case when has_schema_privilege($1, ours.oid, 'usage') and has_function_privilege($1, p.oid, 'execute') then 'without a token'
              when has_schema_privilege($2, ours.oid, 'usage') and has_function_privilege($2, p.oid, 'execute') then 'by members'
              else 'by nobody' end,
         prosecdef, lanname, prosrc, pg_get_functiondef(p.oid)
    from pg_catalog.pg_proc p
    join ours on ours.oid = pronamespace
    join pg_catalog.pg_language l on l.oid = prolang
   where lanname in ('sql', 'plpgsql') and prokind in ('f', 'p')
   order by kind, object, name`;
