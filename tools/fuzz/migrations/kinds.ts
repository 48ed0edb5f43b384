import type { Random } from "@content-service/testing/Random.ts";
import type { Catalogue, Column, Routine, Table } from "./readCatalogue.ts";

/**
 * Writes one change of a migration.
 *
 * @param name a name that nothing has yet
 */
type Write = (random: Random, catalogue: Catalogue, name: string) => string;

/** The kinds of random changes. Some are written as migrations/README.md says, others as somebody in a hurry writes them. */
export const kinds = {
  "add a column": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    const type = random.pick(["text", "int", "boolean", "timestamptz", "numeric", "jsonb", "text[]", "uuid", "date"]);
    return `alter table ${table.name} add column ${name} ${type};
comment on column ${table.name}.${name} is 'A random column.';`;
  },
  "add a column with a default": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    const definition = random.pick([
      "int not null default 0",
      "text not null default 'none'",
      "boolean default false",
      "timestamptz not null default now()",
      "uuid not null default gen_random_uuid()",
    ]);
    return `alter table ${table.name} add column ${name} ${definition};
comment on column ${table.name}.${name} is 'A random column.';`;
  },
  "add a required column": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    return `alter table ${table.name} add column ${name} int not null;
comment on column ${table.name}.${name} is 'A random column.';`;
  },
  "add a column that clients write": (
    _random,
    _catalogue,
    name,
  ) => `alter table app_public.posts add column ${name} text;
comment on column app_public.posts.${name} is 'A random column.';
select conventions.allow_writing('app_public.posts', '{${name}}',
  on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input');`,
  "add a foreign key": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    const index = random.chance(0.6) ? `create index on ${table.name} (${name});` : "";
    return `alter table ${table.name} add column ${name} bigint references app_public.users on delete set null;
comment on column ${table.name}.${name} is 'A random user.';
comment on constraint ${bare(table.name)}_${name}_fkey on ${table.name} is '@foreignFieldName ${bare(table.name)}Of${name.replace("_", "")}';
${index}`;
  },
  "drop a column": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    return `alter table ${table.name} drop column ${column.name}${random.chance(0.3) ? " cascade" : ""};`;
  },
  "rename a column": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    return `alter table ${table.name} rename column ${column.name} to ${name};`;
  },
  "rename a column and keep its name in the API": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    return `alter table ${table.name} rename column ${column.name} to ${name};
comment on column ${table.name}.${name} is ${named(column.name, column.comment)};`;
  },
  "rename a table": (random, catalogue, name) =>
    `alter table ${random.pick(catalogue.tables).name} rename to ${name}s;`,
  "rename a table and keep its name in the API": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    return `alter table ${table.name} rename to ${name}s;
comment on table app_public.${name}s is ${named(bare(table.name), table.comment)};`;
  },
  "rename a function": (random, catalogue, name) =>
    `alter function ${random.pick(catalogue.routines).signature} rename to ${name};`,
  "rename a function and keep its name in the API": (random, catalogue, name) => {
    const routine = random.pick(catalogue.routines);
    const prefix = prefixOf(routine);
    const renamed = prefix + name;
    return `alter function ${routine.signature} rename to ${renamed};
comment on function ${routine.signature.replace(bare(routine.name), renamed)} is ${named(bare(routine.name).slice(prefix.length), routine.comment)};`;
  },
  "change a type": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    const type = random.pick(
      { text: ["varchar(300)", "varchar(5)"], integer: ["bigint", "text"], bigint: ["integer", "numeric"] }[
        column.type
      ] ?? ["text"],
    );
    return `alter table ${table.name} alter column ${column.name} type ${type} using ${column.name}::text::${type};`;
  },
  "drop a default": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    return `alter table ${table.name} alter column ${column.name} drop default;`;
  },
  "set not null": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue, ({ isNotNull }) => !isNotNull);
    return `alter table ${table.name} alter column ${column.name} set not null;`;
  },
  "drop not null": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue, ({ isNotNull }) => isNotNull);
    return `alter table ${table.name} alter column ${column.name} drop not null;`;
  },
  "add a table": (random, _catalogue, name) => newTable(name, { isProtected: true, isReadable: random.chance(0.8) }),
  "add a table in a hurry": (_random, _catalogue, name) => newTable(name, { isProtected: false, isReadable: true }),
  "drop a table": (random, catalogue) =>
    `drop table ${random.pick(catalogue.tables).name}${random.chance(0.5) ? " cascade" : ""};`,
  "add a view": (random, catalogue, name) => newView(random, catalogue, name, "with (security_invoker)"),
  "add a view that reads as its owner": (random, catalogue, name) => newView(random, catalogue, name, ""),
  "add a computed column": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    const row = bare(table.name);
    return `create function app_public.${row}_${name}(${row} ${table.name}) returns text
language sql stable as $$ select upper(${row}.${column.name}::text) $$;
comment on function app_public.${row}_${name}(${table.name}) is 'A random computed column.';
${granted(random, `function app_public.${row}_${name}(${table.name})`, "execute")}`;
  },
  "add a query": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    return `create function app_public.${name}() returns setof ${table.name}
language sql stable as $$ select * from ${table.name} $$;
comment on function app_public.${name}() is 'A random list.';
${granted(random, `function app_public.${name}()`, "execute")}`;
  },
  "add a mutation": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    const written = random.chance(0.8) ? column.name : `${column.name}_of_yesterday`;
    return `create function app_public.${name}(amount int) returns int
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  update ${table.name} set ${written} = ${written} where false;
  return amount;
end $$;
comment on function app_public.${name}(int) is 'A random mutation.';
${granted(random, `function app_public.${name}(int)`, "execute")}`;
  },
  "edit a function": (random, catalogue) =>
    `${random.pick(catalogue.routines).definition.replace(/\$function\$/, "$&\n-- Edited.")};`,
  "edit a function so that it does not fit": (random, catalogue) => {
    const routines = catalogue.routines.filter(({ definition }) => bodyTable.test(definition));
    return `${random.pick(routines).definition.replace(bodyTable, "$1_of_yesterday")};`;
  },
  "drop a function": (random, catalogue) => `drop function ${random.pick(catalogue.routines).signature};`,
  "tighten a policy": (random, catalogue) => {
    const policy = random.pick(catalogue.policies);
    return `alter policy ${policy.name} on ${policy.table} using ((${policy.using}) and ${random.pick(["true", "false"])});`;
  },
  "add a policy": (random, catalogue, name) => {
    const restriction = random.chance(0.5) ? "as restrictive " : "";
    return `create policy ${name} on ${random.pick(catalogue.tables).name} ${restriction}for select to :API_MEMBER using (${random.pick(["true", "false"])});`;
  },
  "drop a policy": (random, catalogue) => {
    const policy = random.pick(catalogue.policies);
    return `drop policy ${policy.name} on ${policy.table};`;
  },
  "disable row-level security": (random, catalogue) =>
    `alter table ${random.pick(catalogue.tables).name} disable row level security;`,
  "add an enum value": (random, catalogue) =>
    `select app_hidden.add_value('${random.pick(catalogue.enums)}', 'ARCHIVED', 'A random value.');`,
  "add an index": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    const unique = random.chance(0.2) ? "unique " : "";
    return `create ${unique}index if not exists ${name}_idx on ${table.name} (${column.name});`;
  },
  "add a check": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue, ({ type }) => type === "text");
    const condition = random.pick([
      `char_length(${column.name}) < 100000`,
      `char_length(${column.name}) < 12`,
      `${column.name} <> 'forbidden'`,
    ]);
    const validity = random.chance(0.5) ? " not valid" : "";
    return `alter table ${table.name} add constraint ${name}_check check (${condition})${validity};
comment on constraint ${name}_check on ${table.name} is 'A random rule.';`;
  },
  "add a unique constraint": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    return `alter table ${table.name} add constraint ${name}_key unique (${column.name});
comment on constraint ${name}_key on ${table.name} is 'It is taken.';`;
  },
  "drop a constraint": (random, catalogue) => {
    const { name, table } = random.pick(catalogue.constraints);
    return `alter table ${table} drop constraint ${name};`;
  },
  "drop a trigger": (random, catalogue) => {
    const { name, table } = random.pick(catalogue.triggers);
    return `drop trigger ${name} on ${table};`;
  },
  "set a default": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue, ({ type }) => type === "text");
    return `alter table ${table.name} alter column ${column.name} set default 'A random default';`;
  },
  "add a trigger": (random, catalogue, name) => {
    const table = random.pick(catalogue.tables);
    const body = random.pick(["return new;", "new.title := upper(new.title); return new;", "return null;"]);
    return `create function app_hidden.tg_${name}() returns trigger
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$ begin ${body} end $$;
comment on function app_hidden.tg_${name}() is 'A random trigger.';
create trigger _300_${name} before insert or update on ${table.name} for each row execute function app_hidden.tg_${name}();`;
  },
  grant: (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    return `grant update (${column.name}) on ${table.name} to ${random.pick([":API_MEMBER", ":API_ANONYMOUS"])};`;
  },
  revoke: (random, catalogue) => {
    const what = random.chance(0.5)
      ? `select on ${random.pick(catalogue.tables).name}`
      : `execute on function ${random.pick(catalogue.routines).signature}`;
    return `revoke ${what} from ${random.pick([":API_MEMBER", ":API_ANONYMOUS"])};`;
  },
  "deprecate a column": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    return `comment on column ${table.name}.${column.name} is ${literal(`@deprecated Nobody needs it.\n${column.comment}`)};`;
  },
  "rename a column in the API": (random, catalogue, name) => {
    const [table, column] = someColumn(random, catalogue);
    return `comment on column ${table.name}.${column.name} is ${literal(`@name ${name}\n${column.comment}`)};`;
  },
  "hide a function": (random, catalogue) => {
    const routine = random.pick(catalogue.routines);
    return `comment on function ${routine.signature} is ${literal(`@behavior -*\n${routine.comment}`)};`;
  },
  "filter a list": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    const index = random.chance(0.7) ? `create index on ${table.name} (${column.name});` : "";
    return `comment on column ${table.name}.${column.name} is ${literal(`@listFilter\n${column.comment}`)};
${index}`;
  },
  "update all rows": (random, catalogue) => {
    const [table, column] = someColumn(random, catalogue);
    return `update ${table.name} set ${column.name} = ${column.name};`;
  },
  "delete rows": (random, catalogue) => {
    const table = random.pick(catalogue.tables);
    return random.pick([`delete from ${table.name};`, `truncate ${table.name} cascade;`]);
  },
} satisfies Record<string, Write>;

/** A table in the body of a function, which begins after its head. */
const bodyTable = /((?:from|into|update|join) app_public\.\w+)/i;

export type Kind = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as Kind[];

function someColumn(random: Random, catalogue: Catalogue, isWanted = (_column: Column) => true): [Table, Column] {
  return random.pick(
    catalogue.tables.flatMap((table) =>
      table.columns
        .filter((column) => !column.isKey && isWanted(column))
        .map((column): [Table, Column] => [table, column]),
    ),
  );
}

function newTable(name: string, { isProtected, isReadable }: { isProtected: boolean; isReadable: boolean }): string {
  const table = `app_public.${name}s`;
  return `create table ${table} (
  id bigint generated always as identity primary key,
  post_id bigint not null references app_public.posts on delete cascade,
  body text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint ${name}s_body_check check (char_length(body) between 1 and 100)
);
comment on table ${table} is 'A random table.';
comment on column ${table}.id is 'Identifies it.';
comment on column ${table}.post_id is 'The post.';
comment on column ${table}.body is 'The text.';
comment on column ${table}.created_at is 'When it was created.';
comment on column ${table}.updated_at is 'When it was changed.';
comment on constraint ${name}s_body_check on ${table} is 'The text needs 1 to 100 characters.';
create index on ${table} (post_id, id);
${isProtected ? `select conventions.apply_to('${table}', '{body}');` : ""}
create policy select_all on ${table} for select to :API_ANONYMOUS, :API_MEMBER using (true);
${isReadable ? `grant select on ${table} to :API_ANONYMOUS, :API_MEMBER;` : ""}`;
}

function newView(random: Random, catalogue: Catalogue, name: string, options: string): string {
  const [table, column] = someColumn(random, catalogue);
  return `create view app_public.${name}s ${options} as select ${column.name} as ${name} from ${table.name};
comment on view app_public.${name}s is 'A random view.';
grant select on app_public.${name}s to :API_ANONYMOUS, :API_MEMBER;`;
}

/** The prefix that makes a function a computed column, with its underscore; else nothing. */
function prefixOf({ name, signature }: Routine): string {
  const [, row = ""] = /\(app_public\.(\w+)/.exec(signature) ?? [];
  return row !== "" && bare(name).startsWith(`${row}_`) ? `${row}_` : "";
}

function granted(random: Random, what: string, right: string): string {
  return random.chance(0.85) ? `grant ${right} on ${what} to :API_ANONYMOUS, :API_MEMBER;` : "";
}

function named(name: string, comment: string): string {
  return literal(`@name ${name}\n${comment}`);
}

function literal(text: string): string {
  return `$comment$${text}$comment$`;
}

function bare(name: string): string {
  return name.replace(/^.*\./, "");
}
