-- Without an index in its order, a list is sorted for each request; without one that begins with a filter's column, a filter reads the whole table.
with tables as (
  select c.oid as id, c.relname as name, obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace::regnamespace::text = 'app_public'
),
-- A line without a name is the list's own order, the others are choices for clients.
orders as (
  select t.id, tag[1] as line, tag[1] !~ '^[A-Z][A-Z0-9_]*:' as is_own,
         array_agg(a.attnum order by place) as columns, array_agg(a.attname order by place) as names,
         array_agg(part ~* '\sdesc\s*$' order by place) as descending
  from tables t, regexp_matches(t.comment, '(?:^|\n)@listOrder +([^\n]+)', 'g') as tag,
       unnest(string_to_array(regexp_replace(tag[1], '^[A-Z][A-Z0-9_]*:', ''), ',')) with ordinality as parts (part, place),
       pg_catalog.pg_attribute a
  where a.attrelid = t.id and a.attname = (regexp_match(part, '\w+'))[1]
  group by t.id, line, is_own
),
-- A list begins at the root, or at the row that a foreign key refers to.
wanted as (
  select id, columns, names, descending, '{}'::int2[] as key, '{}'::name[] as key_names,
         format('%s: @listOrder %s', id::regclass, line) as offender
  from orders join tables t using (id)
  where t.comment !~ '(^|\n)@behavior[^\n]* -query:resource:list'
  union all
  select o.id, o.columns, o.names, o.descending, k.conkey, key_names.names,
         format('%s: @listOrder %s (for the list of each %s)', o.id::regclass, line, array_to_string(key_names.names, ', '))
  from orders o
  join pg_catalog.pg_constraint k on k.contype = 'f' and k.conrelid = o.id and k.conparentid = 0,
  lateral (
    select array_agg(a.attname order by place) as names
    from unnest(k.conkey) with ordinality as parts (attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = o.id and a.attnum = parts.attnum) as key_names
  where k.connamespace::regnamespace::text = 'app_public'
    and coalesce(obj_description(k.oid, 'pg_constraint'), '') !~ '(^|\n)@(behavior|backwardBehavior) [^\n]*-(\*|manyRelation)'
  union all
  -- A list through a join table begins at the row that one of its keys refers to.
  select t.id, c.columns, c.names, c.descending, k.conkey, key_names.names,
         format('%s: @listOrder %s (for the lists through %s)', t.id::regclass, line, array_to_string(key_names.names, ', '))
  from tables t
  join pg_catalog.pg_constraint k on k.contype = 'f' and k.conrelid = t.id,
  lateral (select (regexp_match(obj_description(k.oid, 'pg_constraint'), '(?:^|\n)@listOrder +([^\n]+)'))[1] as line) as tag,
  lateral (
    select array_agg(a.attnum order by place) as columns, array_agg(a.attname order by place) as names,
           array_agg(part ~* '\sdesc\s*$' order by place) as descending
    from unnest(string_to_array(line, ',')) with ordinality as parts (part, place)
    join pg_catalog.pg_attribute a on a.attrelid = t.id and a.attname = (regexp_match(part, '\w+'))[1]) as c,
  lateral (
    select array_agg(a.attname order by place) as names
    from unnest(k.conkey) with ordinality as parts (attnum, place)
    join pg_catalog.pg_attribute a on a.attrelid = t.id and a.attnum = parts.attnum) as key_names
  where t.comment ~ '(^|\n)@manyToMany' and line is not null
),
-- Equality and `in` find rows that the index can have in the list's own order.
filters as (
  select t.id, a.attnum, a.attname as name, words,
         case when words ~ '\m(eq|in)\M' and a.attnum <> all (o.columns) then o.names else '{}' end as names,
         case when words ~ '\m(eq|in)\M' and a.attnum <> all (o.columns) then o.descending else '{}' end as descending
  from tables t
  join pg_catalog.pg_attribute a on a.attrelid = t.id and a.attnum > 0 and not a.attisdropped
  left join orders o on o.id = t.id and o.is_own,
  lateral (select (regexp_match(col_description(t.id, a.attnum), '(?:^|\n)@listFilter *([^\n]*)'))[1] as tag) as tags,
  lateral (select case when tag = '' then 'eq' else tag end as words) as words
  where tag is not null
    -- The parts know it: the table's comment names it behind their functions.
    and t.comment !~ format('(^|\n)@listPart \S+ [^\n]*\m%s\M', a.attname)
),
indexes as (
  select i.indrelid, i.indisunique, columns, options, cardinality(columns) as width, i.indpred is null or has_parts as is_whole
  from pg_catalog.pg_index i
  join tables t on t.id = i.indrelid
  join pg_catalog.pg_class c on c.oid = i.indexrelid
  join pg_catalog.pg_am m on m.oid = c.relam and m.amname = 'btree',
  lateral (select t.comment ~ '(^|\n)@listPart ' as has_parts) as parts,
  -- The parts of a table with @listPart have partial indexes, or share one with a boolean column that tells them apart. A boolean column of
  -- an order is not one of these.
  lateral (values (has_parts, '{}'::int2[]), (has_parts, (select array_agg(attnum) from orders o, unnest(o.columns) as attnum where o.id = t.id)))
    as reading (has_telling, ordering),
  lateral (
    select array_agg(key order by place) as columns, array_agg(option order by place) as options
    from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1], (i.indoption::int2[])[0:i.indnkeyatts - 1]) with ordinality as k (key, option, place)
    left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = key
    where not has_telling or key = any (ordering) or a.atttypid is distinct from 'boolean'::regtype) as of_index
  where i.indisvalid
    -- The list of a row that a nullable key refers to has only rows with the key.
    and (i.indpred is null or has_parts or pg_get_expr(i.indpred, i.indrelid) = (
      select format('(%I IS NOT NULL)', attname) from pg_catalog.pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]))
),
-- Otherwise PostgreSQL looks for it anew for each table.
missing as materialized (
  select w.offender, w.id, w.key_names as key, w.names, w.descending
  from wanted w
  where not exists (
    select from indexes i, cardinality(w.key) as keys,
      -- A unique index needs no further columns, and finds one row if it is on the key alone.
      lateral (select least(cardinality(w.columns), width - keys) as covered) as n
    where i.indrelid = w.id and (is_whole or keys > 0) and (covered > 0 or i.indisunique) and (covered = cardinality(w.columns) or i.indisunique)
      and i.columns[1:keys] @> w.key and i.columns[1:keys] <@ w.key
      and i.columns[keys + 1:keys + covered] = w.columns[1:covered]
      -- 3 is `desc nulls first`, 0 `asc nulls last`. An index is read in both directions.
      and (select covered = 0 or bool_and(options[keys + place] = option) or bool_and(options[keys + place] = 3 - option)
           from unnest(w.descending[1:covered]) with ordinality as parts (is_descending, place),
                lateral (select case when is_descending then 3 else 0 end as option) as options_wanted))
  union all
  select format('%s.%I: @listFilter %s', f.id::regclass, f.name, f.words), f.id, array[f.name], f.names, f.descending
  from filters f
  -- A partial index serves a filter for null.
  where not (f.words ~ '^isNull(:\w+)?$' and exists (
    select from pg_catalog.pg_index i where i.indrelid = f.id and pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NULL)', f.name)))
    and not exists (
    select from indexes i
    where i.indrelid = f.id and is_whole and f.attnum = any (i.columns)
      -- The columns before it are filters, too: clients combine them.
      and i.columns[1:array_position(i.columns, f.attnum) - 1] <@ (select array_agg(g.attnum) from filters g where g.id = f.id))
)
select offender,
       format('Create the index: create index if not exists %I on %s (%s);',
         concat_ws('_', t.name, array_to_string(key || names, '_'), 'idx'), t.id::regclass, concat_ws(', ', key_list, name_list)) as advice
from missing join tables t using (id),
lateral (select string_agg(quote_ident(name), ', ') as key_list from unnest(key) as name) as keys,
lateral (
  select string_agg(format('%I%s', name, case when is_descending then ' desc' end), ', ') as name_list
  from unnest(names, descending) as parts (name, is_descending)) as names_listed;
-- offence: comment on column app_public.posts.excerpt is E'@listFilter\nThe preview.'
-- harmless: alter table app_public.posts add editor_id bigint references app_public.users; create index on app_public.posts (editor_id, listed_at desc, id desc) where editor_id is not null; create index on app_public.posts (editor_id, updated_at desc, id desc) where editor_id is not null; create index on app_public.posts (editor_id, title, id) where editor_id is not null
-- harmless: alter table app_public.posts add is_pinned boolean not null default false; create index on app_public.posts (is_public, is_pinned desc, id desc); create index on app_public.posts (author_id, is_pinned desc, id desc); comment on table app_public.posts is E'@listPart app_hidden.a_part status\n@listOrder PINNED: is_pinned desc, id desc'
