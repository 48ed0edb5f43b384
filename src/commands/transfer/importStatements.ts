import pg from "pg";
import { accountColumns, type Column, type Kind, ownReferences, sqlNameOf, type Table } from "./tables.ts";

/** A statement of a batch, and the field to which its errors belong, if that is not their column. */
export interface ImportStatement {
  text: string;
  field?: string;
}

/** The tables of one connection in which a batch is made ready. `given_ids` maps the ids of a file to those of the database. */
export const createStaging = `
  create temporary table if not exists ready (
    place int primary key, given_id text, doc jsonb, id bigint, is_known boolean, problem text);
  create temporary table if not exists given_ids (given_id text primary key, id bigint)`;

function toArray(keys: string[]): string {
  return `${literal(`{${keys.map((key) => JSON.stringify(key)).join(",")}}`)}::text[]`;
}

/** For each batch: autovacuum cannot clean temporary tables, so deleted rows would make each batch slower than the one before. */
export const truncateStaging = "truncate pg_temp.ready";
/** For a part of a batch: quicker than making new files. */
export const clearStaging = "delete from pg_temp.ready";

/** The outcome of a batch: how many rows were there already, and which ones refer to nothing. */
export const summarize = `
  select count(*) filter (where problem is null and is_known)::int as known,
         coalesce(json_agg(json_build_object('place', place, 'problem', problem) order by place) filter (where problem is not null), '[]') as problems
    from pg_temp.ready`;

const quote = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/** The text of a key in the JSON of a row. */
const given = (key: string) => `doc ->> ${literal(key)}`;

const userByEmail = (text: string) =>
  `(select user_id from app_private.accounts where app_private.email_form(email) = app_private.email_form(app_private.normal_email(${text})))`;

/**
 * Makes the rows of `$1` ready, a JSON array of texts: finds the rows that they refer to, and whether they are in the database already.
 * Triggers and constraints decide all the rest.
 */
export function makeReady(table: Table, keepIds: boolean, tables: Record<Kind, Table>): ImportStatement {
  const references = table.columns.filter((column) => column.refersTo && !ownReferences(table).includes(column));
  const users = references.filter(({ refersTo }) => refersTo === "user");
  const sequence = `pg_get_serial_sequence(${literal(table.relation)}, 'id')::regclass`;
  const ids = ["known", ...(keepIds ? ["(doc ->> 'id')::bigint"] : []), `nextval(${sequence})`].join(", ");
  const resolved = references.map((column) => `${lookUp(column, tables.post)} as ${quote(column.name)}`);
  const found = references.map(({ name }) => `${literal(name)}, ${quote(name)}`).join(", ");
  const renamed = table.columns.filter(({ key, name, refersTo }) => !refersTo && key !== name);
  const userName = sqlNameOf(tables.user, "name");
  const times = table.columns.filter(({ type }) => /^(date|timestamp)/.test(type)).map(({ key }) => key);
  const accountTimes = table.kind === "user" ? ["verified_at", "banned_at"] : [];
  const endless = [...times, ...accountTimes].map(endlessTime);
  const problems = [...references.map(problemOf), ...endless, ...rulesOf[table.kind]].join(", ");
  return {
    text: `
      insert into pg_temp.ready (place, given_id, doc, id, is_known, problem)
      with given as materialized (
        select place, source::jsonb as doc from json_array_elements_text($1::json) with ordinality as line (source, place)
      ), named as materialized (
        select u.${userName} as name, case when count(*) = 1 then min(u.id) end as id from app_public.users as u
         where u.${userName} in (${users.map(({ key }) => `select ${given(key)} from given where strpos(${given(key)}, '@') = 0`).join(" union all ") || "select null where false"})
         group by u.${userName}
      ), resolved as materialized (
        select ${["place", "doc", ...resolved].join(", ")} from given
      ), compared as materialized (
        select *, ${knownRow(tables)[table.kind]} as known, concat_ws('; ', ${problems}) as problem from resolved
      )
      select place, doc ->> 'id', doc - ${toArray(table.otherKeys)}${found && ` || jsonb_build_object(${found})`}${renamed.map(toSqlName).join("")},
             case when problem = '' then coalesce(${ids}) end, known is not null, nullif(problem, '')
        from compared`,
  };
}

/** A file has the name of the API. */
function toSqlName({ key, name }: Column): string {
  return ` || case when doc ? ${literal(key)} then jsonb_build_object(${literal(name)}, doc -> ${literal(key)}) else '{}' end`;
}

function lookUp({ key, refersTo }: Column, post: Table): string {
  if (refersTo === "post") {
    return `(select p.id from app_public.posts as p where p.${sqlNameOf(post, "slug")} = ${given(key)})`;
  }
  return `case when strpos(${given(key)}, '@') > 0 then ${userByEmail(given(key))}
               else (select named.id from named where named.name = ${given(key)}) end`;
}

function problemOf({ key, name, isRequired, refersTo }: Column): string {
  const words =
    refersTo === "post" ? "No post has the slug" : "No user has this email, or is the only one of this name:";
  return `case when ${given(key)} is null then ${isRequired ? literal(`${key}: This is required.`) : "null"}
               when ${quote(name)} is null then format('%s: %s %s', ${literal(key)}, ${literal(words)}, left(${given(key)}, 300)) end`;
}

/** PostgreSQL takes `infinity` as a time. The API has no such date, and a list in the order of its rows would begin or end there for ever. */
function endlessTime(key: string): string {
  return `case when ${given(key)} ~* 'infinity' then ${literal(`${key}: This is no time.`)} end`;
}

/** How a row is known to be in the database already. Importing twice changes nothing. */
function knownRow({ post, comment }: Record<Kind, Table>): Record<Kind, string> {
  const [postId, author, createdAt, text] = ["post_id", "author_id", "created_at", "text"].map((field) =>
    sqlNameOf(comment, field),
  );
  return {
    user: userByEmail("doc ->> 'email'"),
    post: `(select p.id from app_public.posts as p where p.${sqlNameOf(post, "slug")} = doc ->> 'slug')`,
    comment: `(select c.id from app_public.comments as c
      where c.${postId} = resolved.${postId} and c.${author} = resolved.${author}
        and (doc ->> 'created_at' is null or c.${createdAt} = (doc ->> 'created_at')::timestamptz)
        and c.${text} = conventions.normal_text(doc ->> 'text', 20000) limit 1)`,
  };
}

const rulesOf: Record<Kind, string[]> = {
  user: [
    "case when doc ->> 'email' is null then 'email: This is required.' end",
    "case when doc ->> 'email' ~ '[\\u037E\\u1FEF\\u212A]' then 'email: This does not look like an email.' end",
    "case when doc ->> 'password_hash' !~ '^\\$2[abxy]\\$(0[4-9]|1[0-4])\\$[./A-Za-z0-9]{53}$' then 'password_hash: This is not a bcrypt hash.' end",
  ],
  post: [
    "case when doc ->> 'slug' is null then 'slug: This is required.' end",
    "case when jsonb_typeof(doc -> 'tags') not in ('array', 'null') then 'tags: This is a list of texts.' end",
  ],
  comment: [],
};

/** Rows that need the ids of the whole batch, because they refer to each other or repeat each other. */
export function completeReady(table: Table): ImportStatement[] {
  return table.kind === "comment" ? [skipRepeatedComments, ...ownReferences(table).flatMap(resolveOwnReference)] : [];
}

// A deferred constraint is one of this row, too.
const checkDeferred: ImportStatement = { text: "set constraints all immediate" };

/** Writes what is ready. The id of a row was given to it before, so that other rows can refer to it. */
export function writeReady(table: Table, keepIds: boolean, isCheck: boolean): ImportStatement[] {
  const tags = [insertTags, insertPostTags, checkDeferred];
  return [
    ...(keepIds ? [raiseSequence(table)] : []),
    { text: insertInto(table) },
    ...(table.kind === "user" ? [{ text: insertAccounts }] : []),
    checkDeferred,
    ...(table.kind === "post" ? (isCheck ? [saveBeforeTags, ...tags, undoTags] : tags) : []),
  ];
}

/** No later row refers to a tag. Writers of the same tags need not wait until a check ends. */
const saveBeforeTags: ImportStatement = { text: "savepoint tags" };
const undoTags: ImportStatement = { text: "rollback to savepoint tags; release savepoint tags" };

const skipRepeatedComments: ImportStatement = {
  text: `
    update pg_temp.ready set is_known = true, id = repeated.id
      from (select place, first_value(id) over same as id, row_number() over same as number from pg_temp.ready where problem is null
            window same as (partition by doc -> 'post_id', doc -> 'author_id', doc ->> 'created_at', doc ->> 'text' order by place)) as repeated
     where repeated.place = ready.place and repeated.number > 1`,
};

function resolveOwnReference({ name, key }: Column): ImportStatement[] {
  const key_ = given(key).replace("doc", "r.doc");
  return [
    {
      text: `
        insert into pg_temp.given_ids (given_id, id)
        select distinct on (given_id) given_id, id from pg_temp.ready where problem is null and given_id is not null
        on conflict (given_id) do update set id = excluded.id`,
    },
    {
      text: `
        update pg_temp.ready set doc = ready.doc || jsonb_build_object(${literal(name)}, g.id),
               problem = case when g.id is null then format('%s: No comment with the id %s stands before this one.', ${literal(key)}, left(${key_}, 300)) end
          from pg_temp.ready as r left join pg_temp.given_ids as g on g.given_id = ${key_}
         where r.place = ready.place and r.problem is null and ${key_} is not null`,
    },
  ];
}

/** Before the rows are written: a service that runs must not be given their ids. */
function raiseSequence({ relation }: Table): ImportStatement {
  const sequence = `pg_get_serial_sequence(${literal(relation)}, 'id')::regclass`;
  return {
    text: `
      select setval(${sequence}, max(id)) from pg_temp.ready where not is_known and problem is null
      having max(id) > coalesce(pg_sequence_last_value(${sequence}), 0)`,
  };
}

const isNew = "not ready.is_known and ready.problem is null";

function insertInto({ relation, columns }: Table): string {
  const names = columns.map(({ name }) => quote(name));
  const values = columns.map(({ name, defaultValue, isRequired }) => {
    const value = `given.${quote(name)}`;
    if (defaultValue === null) return value;
    return isRequired
      ? `coalesce(${value}, ${defaultValue})`
      : `case when ready.doc ? ${literal(name)} then ${value} else ${defaultValue} end`;
  });
  return `
    insert into ${relation} (id, ${names.join(", ")}) overriding system value
    select ready.id, ${values.join(", ")}
      from pg_temp.ready cross join lateral jsonb_populate_record(null::${relation}, ready.doc) as given
     where ${isNew} order by ready.place`;
}

const accounts = accountColumns.map(quote);
const insertAccounts = `
  insert into app_private.accounts (user_id, ${accounts.join(", ")})
  select ready.id, ${accounts.map((name) => `given.${name}`).join(", ")}
    from pg_temp.ready cross join lateral jsonb_populate_record(null::app_private.accounts, ready.doc - '{user_id,created_by}'::text[]) as given
   where ${isNew} order by ready.place`;

const newTags = `
  from pg_temp.ready
 cross join lateral unnest(app_hidden.tag_names(array(
       select jsonb_array_elements_text(case jsonb_typeof(ready.doc -> 'tags') when 'array' then ready.doc -> 'tags' else '[]' end))))
       with ordinality as wanted (name, position)`;

const insertTags: ImportStatement = {
  field: "tags",
  // In one order, so that two writers of the same new tags cannot deadlock.
  text: `
    insert into app_public.tags (name)
    select wanted.name ${newTags}
     where ${isNew} and not exists (select from app_public.tags as t where t.form = app_hidden.tag_form(wanted.name))
     group by wanted.name order by app_hidden.tag_form(wanted.name) on conflict do nothing`,
};

const insertPostTags: ImportStatement = {
  field: "tags",
  text: `
    insert into app_public.post_tags (post_id, tag_id, position)
    select ready.id, t.id, wanted.position ${newTags} join app_public.tags as t on t.form = app_hidden.tag_form(wanted.name)
     where ${isNew} order by ready.place, wanted.position`,
};
