import type { ClientBase } from "pg";
import type { Finding } from "../finding.ts";

/** The properties of a thing, such as `volatility` with `stable`. */
type Properties = Map<string, string>;

/** What decides how the things of a database behave, by their names: `policy select_own on app_public.posts`. */
export type Behaviours = Map<string, Properties>;

/**
 * Reads what a migration can change without any error and without a change of the API's types: functions, policies, triggers,
 * views, constraints, defaults, owners and rights. Leaves out what extensions and conventions.renew_validators() make.
 */
export async function readBehaviours(client: ClientBase): Promise<Behaviours> {
  // Definitions then contain the schemas of what they name.
  await client.query("set local search_path = ''");
  const { rows } = await client.query<{ thing: string; property: string; value: string }>(text);
  const behaviours: Behaviours = new Map();
  for (const { thing, property, value } of rows) {
    const properties = behaviours.get(thing) ?? new Map();
    behaviours.set(thing, properties.set(property, value));
  }
  return behaviours;
}

/** The reason and the advice of each rule. */
const rules: Record<string, [reason: string, advice: string]> = {
  "drop-table": ["The rows are lost.", "Make sure that nobody needs them."],
  "drop-column": ["Its values are lost.", "Make sure that nobody needs them."],
  "create-policy": [
    "Its roles see or change more rows than before, or fewer if it is restrictive.",
    "Adapt test/permissions, which shows who sees what.",
  ],
  "drop-policy": [
    "Without a permissive policy its roles lose rows. Without a restrictive one they see more.",
    "Adapt test/permissions, which shows who sees what.",
  ],
  "alter-policy": [
    "Its roles may see or change other rows than before.",
    "Adapt test/permissions, which shows who sees what.",
  ],
  "disable-row-level-security": [
    "Each role that may read the table then sees all of its rows.",
    "Write a policy that allows what you need: create policy … to … using (…)",
  ],
  revoke: [
    "Requests that need the right are then answered with UNAUTHORIZED, or their fields leave the API.",
    "Revoke it when no client needs it any more, and adapt test/permissions.",
  ],
  "change-default": [
    "Writes that leave the column out store another value. Without a default, they fail if it is not null.",
    "Make sure that each function that inserts such rows gives the column.",
  ],
  "create-constraint": [
    "Writes that break it are refused, and the migration fails if existing rows do, unless it is not valid.",
    "Make sure that clients do not write such rows any more.",
  ],
  "drop-constraint": ["Writes that it refuses are accepted from then on.", "Make sure that readers expect such rows."],
  "create-trigger": [
    "It may change, refuse or skip each write to the table.",
    "Try the mutations that write to the table: npm test.",
  ],
  "drop-trigger": [
    "Writes are no longer completed, checked, recorded or told to subscribers by it.",
    "Try the mutations that write to the table: npm test.",
  ],
  "change-behaviour": [
    "Nothing fails, so only you can see whether rows, rights and results are as they should be.",
    "Look at it, and at the tests of what uses it.",
  ],
};

/**
 * Finds what behaves differently, what is gone, and what is new on a table or view that was there before. The catalogue tells what a
 * migration has done, however it is written: a thing that it drops and creates again as it was is none of them.
 */
export function compareBehaviours(before: Behaviours, after: Behaviours): Finding[] {
  const lost = lackedBy(after, before).filter(
    ([thing]) => thing.startsWith("table ") || isTableColumn(thing, before) || (isPart(thing) && !after.has(thing)),
  );
  const isLost = new Set(lost.map(([thing]) => thing));
  const added = lackedBy(before, after).filter(([thing]) => isPart(thing) && !before.has(thing));
  return [
    ...lost
      .filter(([, properties]) => concerns(properties, after))
      .map(([thing]) => finding(`drop-${partsOf(thing).kind}`, thing, `The ${thing} is dropped.`)),
    ...[...before].flatMap(([thing, properties]) => {
      const now = after.get(thing);
      return now && !isLost.has(thing) ? changeOf(thing, properties, now) : [];
    }),
    ...added
      .filter(([, properties]) => concerns(properties, before))
      .map(([thing]) => {
        const { kind, object, table } = partsOf(thing);
        return finding(`create-${kind}`, thing, `${table} has a new ${kind}, ${object.replace(/ on .*$/s, "")}.`);
      }),
  ];
}

function partsOf(thing: string): { kind: string; object: string; table: string } {
  const [, kind = "", object = ""] = /^(\w+) (.*)$/s.exec(thing) ?? [];
  if (kind === "function") return { kind, object: object.replace(/\(.*/s, ""), table: "" };
  return { kind, object, table: kind === "column" ? object.replace(/\.[^.]*$/, "") : object.replace(/^.* on /s, "") };
}

function isPart(thing: string): boolean {
  return /^(policy|constraint|trigger) /.test(thing);
}

function isTableColumn(thing: string, behaviours: Behaviours): boolean {
  return thing.startsWith("column ") && behaviours.has(`table ${partsOf(thing).table}`);
}

/** The things of `own` that the other side lacks, without those of tables and views that it lacks. */
function lackedBy(other: Behaviours, own: Behaviours): [string, Properties][] {
  // A thing that was renamed keeps its identity, and one that was dropped and created again has another.
  const identityOf = (thing: string, properties: Properties) => `${partsOf(thing).kind} ${properties.get("identity")}`;
  const identities = new Set([...other].map((entry) => identityOf(...entry)));
  const isLacking = (thing: string) => !identities.has(identityOf(thing, own.get(thing) ?? new Map()));
  return [...own].filter(([thing]) => {
    const { kind, table } = partsOf(thing);
    const around = ["table", "view"].map((word) => `${word} ${table}`).find((name) => own.has(name));
    return isLacking(thing) && (kind === "table" || (around !== undefined && !isLacking(around)));
  });
}

/** False for a constraint of columns that the other side lacks, which accepts rows without them. */
function concerns(properties: Properties, other: Behaviours): boolean {
  const columns = properties.get("columns")?.split("\n").filter(Boolean) ?? [];
  return (
    columns.length === 0 ||
    columns.some((column) => other.has(column)) ||
    /IS NOT NULL/.test(properties.get("rule") ?? "")
  );
}

const unprotected = "without row-level security";

function changeOf(thing: string, before: Properties, after: Properties): Finding[] {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (property) => !/^(identity|columns)$/.test(property) && before.get(property) !== after.get(property),
  );
  if (changed.length === 0) return [];
  const texts = changed.map((property) => textOf(property, before.get(property), after.get(property)));
  const message = `The ${thing} changes its behaviour: ${texts.join("; ")}.`;
  if (changed.includes("security") && after.get("security") === unprotected) {
    return [{ ...finding("disable-row-level-security", thing, message), severity: "refused" }];
  }
  const isRevoked = changed.some((property) => property.startsWith("right of ") && !after.has(property));
  const rule = thing.startsWith("policy ")
    ? "alter-policy"
    : changed.includes("default")
      ? "change-default"
      : isRevoked
        ? "revoke"
        : "change-behaviour";
  return [finding(rule, thing, message)];
}

/** Properties whose values are too long to print. */
const untold = new Set(["body", "definition"]);

function textOf(property: string, old = "nothing", now = "nothing"): string {
  if (untold.has(property)) return `it has another ${property}`;
  const [, role, right] = /^right of (.*): (.*)$/.exec(property) ?? [];
  if (role) return `${role} ${now === "granted" ? "may" : "may no longer"} ${right}`;
  return `it is ${now.replace(/\s+/g, " ")}, and was ${old.replace(/\s+/g, " ")}`;
}

function finding(rule: string, thing: string, message: string): Finding {
  const [reason, advice] = rules[rule] ?? [];
  return { rule, object: partsOf(thing).object, severity: "dangerous", message, reason, advice };
}

const text = `
  with ours as (select oid, nspname from pg_catalog.pg_namespace where conventions.is_covered(nspname) or nspname = 'analytics'),
  extended as (select classid, objid from pg_catalog.pg_depend where deptype = 'e'),
  routines as (
    select p.*, 'function ' || p.oid::regprocedure as thing
      from pg_catalog.pg_proc p join ours on ours.oid = p.pronamespace
     where p.prokind in ('f', 'p') and not (ours.nspname = 'conventions' and p.proname like 'validate\\_%')
       and not exists (select from extended where classid = 'pg_catalog.pg_proc'::regclass and objid = p.oid)),
  relations as (
    select c.*, case when c.relkind in ('v', 'm') then 'view ' else 'table ' end || c.oid::regclass as thing
      from pg_catalog.pg_class c join ours on ours.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
       and not exists (select from extended where classid = 'pg_catalog.pg_class'::regclass and objid = c.oid))
  select thing, property, value
    from routines cross join lateral (values
      ('body', coalesce(pg_get_function_sqlbody(oid), prosrc)),
      ('volatility', case provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end),
      ('security', case when prosecdef then 'security definer' else 'security invoker' end),
      ('leaks', case when proleakproof then 'leakproof' else 'not leakproof' end),
      ('null', case when proisstrict then 'strict' else 'called on null input' end),
      ('settings', coalesce('set ' || array_to_string(proconfig, ', '), 'without settings')),
      ('owner', 'owned by ' || proowner::regrole)) as properties (property, value)
  union all
  select format('policy %I on %s', polname, polrelid::regclass), property, value
    from pg_catalog.pg_policy join relations on relations.oid = polrelid cross join lateral (values
      ('command', case polcmd when 'r' then 'for select' when 'a' then 'for insert' when 'w' then 'for update'
                              when 'd' then 'for delete' else 'for all' end),
      ('kind', case when polpermissive then 'permissive' else 'restrictive' end),
      ('roles', 'to ' || (select string_agg(case role when 0 then 'public' else role::regrole::text end, ', ' order by role)
                            from unnest(polroles) as role)),
      ('using', 'using ' || coalesce(pg_get_expr(polqual, polrelid), 'nothing')),
      ('check', 'with check ' || coalesce(pg_get_expr(polwithcheck, polrelid), 'nothing')),
      ('identity', pg_policy.oid::text)) as properties (property, value)
  union all
  select thing, property, value
    from relations cross join lateral (values
      ('definition', pg_get_viewdef(oid)),
      ('options', coalesce('with (' || array_to_string(reloptions, ', ') || ')', 'without options')),
      ('security', case when relrowsecurity then 'with row-level security' else '${unprotected}' end),
      ('force', case when relforcerowsecurity then 'forced for its owner' else 'not forced for its owner' end),
      ('owner', 'owned by ' || relowner::regrole),
      ('identity', oid::text)) as properties (property, value)
   where value is not null
  union all
  select format('trigger %I on %s', tgname, tgrelid::regclass), property, value
    from pg_catalog.pg_trigger join relations on relations.oid = tgrelid cross join lateral (values
      ('definition', case when tgname = '_200_validate' then 'generated' else pg_get_triggerdef(pg_trigger.oid) end),
      ('state', case tgenabled when 'D' then 'disabled' when 'O' then 'enabled' else 'enabled for replication' end),
      ('identity', pg_trigger.oid::text)) as properties (property, value)
   where not tgisinternal
  union all
  select format('constraint %I on %s', conname, conrelid::regclass), property, value
    from pg_catalog.pg_constraint join relations on relations.oid = conrelid cross join lateral (values
      ('rule', pg_get_constraintdef(pg_constraint.oid)),
      ('identity', pg_constraint.oid::text),
      ('columns', array_to_string(array(select format('column %s.%I', attrelid::regclass, attname) from pg_catalog.pg_attribute
                                         where attrelid = conrelid and attnum = any (conkey)), E'\\n'))) as properties (property, value)
   where contype <> 'n'
  union all
  -- A right of public or of a role. The owner's own follow the owner.
  select thing, format('right of %s: %s', case grantee when 0 then 'public' else grantee::regrole::text end, privilege),
         'granted'
    from (
      select thing, proowner as owner, grantee, lower(privilege_type) as privilege
        from routines cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner)))
      union all
      select thing, relowner, grantee, lower(privilege_type)
        from relations cross join lateral aclexplode(coalesce(relacl, acldefault('r', relowner)))
      union all
      select format('column %s.%I', attrelid::regclass, attname), relowner, grantee, lower(privilege_type)
        from relations join pg_catalog.pg_attribute on attrelid = relations.oid and not attisdropped
       cross join lateral aclexplode(attacl)
    ) as rights
   where grantee <> owner
  union all
  select format('column %s.%I', attrelid::regclass, attname), property, value
    from relations join pg_catalog.pg_attribute on attrelid = relations.oid and attnum > 0 and not attisdropped
    left join pg_catalog.pg_attrdef on adrelid = attrelid and adnum = attnum
   cross join lateral (values
      ('default', coalesce('default ' || pg_get_expr(adbin, adrelid), 'without default')),
      ('identity', concat_ws('.', attrelid, attnum))) as properties (property, value)`;
