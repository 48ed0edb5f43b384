--! Previous: sha1:c0a5561da3b01f59a86fb5d7a42b905c6c9c6ba0
--! Hash: sha1:457b2ba996a6497cdf9c70a0d6ff7536a7e6f900
--! Message: row conventions

-- Row conventions (docs/conventions.md): one call, conventions.apply_to(), gives a table texts in one form, all validation errors of a row in
-- one error, updated_at and the audit trail; conventions.count_rows() counts its rows. Nothing here refers to a table of the publication: the
-- viewer is a setting, app.viewer_id.
create schema conventions;
comment on schema conventions is $$Conventions of rows: validation, text normalisation, the audit trail and counters. The API’s roles read messages and counters; all else is for DBAs.$$;
grant usage on schema conventions to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

--! Included functions/conventions/is_covered.sql
-- The one list of the schemas. The rules (migrations/rules) and the review of migrations (packages/migration-review) ask it, so a machine with
-- a schema of its own is added here. The analysts' schema has only some of the rules; they name it beside.
create or replace function conventions.is_covered(schema text) returns boolean
language sql immutable parallel safe
return schema ~ '^(app_|change_feed$|conventions$|rollups$)';
comment on function conventions.is_covered(text) is $$Whether the rules and the review of migrations cover a schema: those of the publication, whose names begin with app_, and those of its machines.$$;
--! EndIncluded functions/conventions/is_covered.sql

create table conventions.tables (
  relation        regclass primary key,
  is_validated    boolean not null default false,
  lines           text[] not null default '{}',
  is_touched      boolean not null default false,
  key_columns     name[],
  omitted_columns name[] not null default '{}'
);
comment on table conventions.tables is $$The declarations of conventions.apply_to(), validate() and audit() for each table.$$;
comment on column conventions.tables.relation is $$The table.$$;
comment on column conventions.tables.is_validated is $$Whether the table has a validator.$$;
comment on column conventions.tables.lines is $$The columns that hold a single line of text, which is trimmed and has no control characters.$$;
comment on column conventions.tables.is_touched is $$Whether the validator sets updated_at.$$;
comment on column conventions.tables.key_columns is $$The primary key, for the audit trail; null where changes are not recorded.$$;
comment on column conventions.tables.omitted_columns is $$The columns whose values the audit trail omits; * for all.$$;

alter table conventions.tables enable row level security;
-- For validation_errors(), which runs with the rights of the viewer.
create policy select_all on conventions.tables for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select (relation, lines) on conventions.tables to :API_ANONYMOUS, :API_MEMBER;

-- Validation errors: the broken check constraints, unique constraints and foreign keys of a row, with the comments of the constraints as messages.
--! Included functions/conventions/raise_validation_errors.sql
create or replace function conventions.raise_validation_errors(errors jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_array_length(raise_validation_errors.errors) > 0 then
    raise exception using
      errcode = 'FAULT',
      message = 'Input failed validation',
      detail = raise_validation_errors.errors::text;
  end if;
end $$;
comment on function conventions.raise_validation_errors(jsonb) is $$Raises FAULT, with the validation errors as its detail, unless the array is empty. The API returns VALIDATION_ERROR with a path for each.$$;
grant execute on function conventions.raise_validation_errors(jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/raise_validation_errors.sql
--! Included functions/conventions/constraint_messages.sql
create or replace function conventions.comment_text(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function conventions.comment_text(text) is $$A comment without its leading smart tags, which are for the API's plugins.$$;
grant execute on function conventions.comment_text(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.comment_code(comment text) returns text
language sql immutable parallel safe
return substring(comment from '^(?:@[^\n]*\n)*?@code +([A-Z][A-Z0-9_]*) *(?:\n|$)');
comment on function conventions.comment_code(text) is $$The error code in a constraint’s comment, from a line @code BLANK among its leading smart tags; null without one.$$;
grant execute on function conventions.comment_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function conventions.default_code(expression text) returns text
language sql immutable parallel safe
return case
  when strpos(expression, ' ~ ''\S''') > 0 then 'BLANK'
  when expression ~ ' ~{1,2}\*? ''' then 'FORMAT'
  when expression not like '%char_length(%' and expression ~ '[<>]= -?\d' then 'OUT_OF_RANGE'
end;
comment on function conventions.default_code(text) is $$The error code of a check constraint whose comment names none: BLANK for a search for a character that is not white space, FORMAT for any other pattern, OUT_OF_RANGE for bounds; null for all others.$$;
grant execute on function conventions.default_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

-- Error messages for violated constraints come from the catalogue: the constraint's columns name the field, and its comment
-- is the message. So a DBA who adds a constraint with a comment has also defined its error.
create or replace view conventions.constraint_messages as
select n.nspname as schema_name,
       t.relname as table_name,
       c.conname as constraint_name,
       t.oid as table_id,
       c.contype::text as kind,
       (select array_agg(a.attname::text order by k.place)
          from unnest(c.conkey) with ordinality as k (attnum, place)
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as column_names,
       pg_catalog.pg_get_expr(c.conbin, c.conrelid) as expression,
       conventions.comment_text(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message,
       conventions.comment_code(pg_catalog.obj_description(c.oid, 'pg_constraint')) as code
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class t on t.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema')
union all
-- A unique index over an expression is not a constraint. Its columns are the ones that it depends on.
select n.nspname, t.relname, i.relname, t.oid, 'u',
       (select array_agg(distinct a.attname::text)
          from pg_catalog.pg_depend d
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
         where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
           and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = t.oid),
       null,
       conventions.comment_text(pg_catalog.obj_description(i.oid, 'pg_class')),
       conventions.comment_code(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view conventions.constraint_messages is $$Every constraint and unique index, with its columns, and the error message and the error code for clients. The code is null where the comment names none.$$;
grant select on conventions.constraint_messages to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/conventions/constraint_messages.sql
--! Included functions/conventions/bounded_text.sql
-- Most texts that are not ASCII have letters of Latin, quotation marks and dashes. One look at a text tells that no other check of characters
-- applies to it: none of these characters is a mark, changes when it is normalised, is white space beyond ASCII or cannot be seen.
create or replace function conventions.is_plain(value text) returns boolean
language sql immutable parallel safe
return octet_length(value) = char_length(value) or value !~ '[^\u0001-\u007E\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2030-\u205E]';
comment on function conventions.is_plain(text) is $$Whether a text has only characters of ASCII, letters of Latin and punctuation: in Unicode normal form C, and without marks.$$;
grant execute on function conventions.is_plain(text) to :API_ANONYMOUS, :API_MEMBER;

-- normalize() takes quadratic time for a run of combining marks, and neither a time-out nor pg_terminate_backend() interrupts it.
-- This check is linear. The ranges are the characters that normalisation reorders, and unassigned ones between them.
create or replace function conventions.bounded_text(value text, max_length int) returns boolean
language sql immutable parallel safe
return case
  -- Counting characters takes longer than anything else about a plain text.
  when octet_length(value) > max_length and char_length(value) > max_length then false
  when conventions.is_plain(value) then true
  else value !~ '[\u0300-\u036F\u0483-\u0487\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A\u064B-\u065F\u0670'
    '\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A\u07EB-\u07F3\u07FD\u0816-\u0819'
    '\u081B-\u0823\u0825-\u0827\u0829-\u082D\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u08FF\u093C\u094D'
    '\u0951-\u0954\u09BC\u09CD\u09FE\u0A3C-\u0A4D\u0ABC\u0ACD\u0B3C\u0B4D\u0BCD\u0C3C\u0C4D-\u0C56\u0CBC\u0CCD'
    '\u0D3B-\u0D3C\u0D4D\u0DCA\u0E38-\u0E3A\u0E48-\u0E4B\u0EB8-\u0EBA\u0EC8-\u0ECB\u0F18-\u0F19\u0F35\u0F37\u0F39'
    '\u0F71-\u0F84\u0F86-\u0F87\u0FC6\u1037-\u103A\u108D\u135D-\u135F\u1714-\u1715\u1734\u17D2\u17DD\u18A9'
    '\u1939-\u193B\u1A17-\u1A18\u1A60-\u1A7F\u1AB0-\u1ACE\u1B34-\u1B44\u1B6B-\u1B73\u1BAA-\u1BAB\u1BE6-\u1BF3\u1C37'
    '\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4\u1CF8-\u1CF9\u1DC0-\u1DFF\u20D0-\u20F0\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF'
    '\u302A-\u302F\u3099-\u309A\uA66F\uA674-\uA67D\uA69E-\uA69F\uA6F0-\uA6F1\uA806\uA82C\uA8C4\uA8E0-\uA8F1'
    '\uA92B-\uA92D\uA953\uA9B3-\uA9C0\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF\uAAC1\uAAF6\uABED\uFB1E'
    '\uFE20-\uFE2F\U000101FD\U000102E0\U00010376-\U0001037A\U00010A0D-\U00010A0F\U00010A38-\U00010A3F'
    '\U00010AE5-\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB-\U00010EAC\U00010EFD-\U00010EFF'
    '\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011046\U00011070\U0001107F\U000110B9-\U000110BA'
    '\U00011100-\U00011102\U00011133-\U00011134\U00011173\U000111C0\U000111CA\U00011235-\U00011236'
    '\U000112E9-\U000112EA\U0001133B-\U0001133C\U0001134D\U00011366-\U00011374\U000113CE-\U000113D0'
    '\U00011442-\U00011446\U0001145E\U000114C2-\U000114C3\U000115BF-\U000115C0\U0001163F\U000116B6-\U000116B7'
    '\U0001172B\U00011839-\U0001183A\U0001193D-\U0001193E\U00011943\U000119E0\U00011A34\U00011A47\U00011A99\U00011C3F'
    '\U00011D42-\U00011D45\U00011D97\U00011F41-\U00011F42\U0001612F\U00016AF0-\U00016AF4\U00016B30-\U00016B36'
    '\U00016FF0-\U00016FF1\U0001BC9E\U0001D165-\U0001D169\U0001D16D-\U0001D172\U0001D17B-\U0001D182'
    '\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244\U0001E000-\U0001E02A\U0001E08F'
    '\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF\U0001E4EC-\U0001E4EF\U0001E5EE-\U0001E5EF'
    '\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A]{31}'
end;
comment on function conventions.bounded_text(text, int) is $$Whether normalize() may run on a text: it has at most that many characters (null is no limit), and at most 30 combining marks in a row.$$;
grant execute on function conventions.bounded_text(text, int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/bounded_text.sql
--! Included functions/conventions/normal_text.sql
create or replace function conventions.normal_text(value text, max_length int, is_line boolean default false) returns text
language sql immutable parallel safe
return case
  when not is_line and conventions.is_plain(value) then value
  -- Normalisation shortens a text to a quarter at most, so a longer one is too long in any form.
  when not conventions.bounded_text(value, 4 * max_length) then value
  when conventions.is_plain(value) then coalesce(nullif(btrim(value, E' \t\n\u000B\f\r'), ''), value)
  when not is_line then normalize(value, NFC)
  -- A blank text stays, so that its blank check reports it.
  else coalesce(nullif(btrim(normalize(value, NFC), U&' \0009\000A\000B\000C\000D\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'), ''), value)
end;
comment on function conventions.normal_text(text, int, boolean) is $$The stored form of a text: Unicode normal form C, and trimmed if it is a single line. A text that is too long or has too many combining marks in a row stays as it is: conventions.validation_errors() reports it.$$;
grant execute on function conventions.normal_text(text, int, boolean) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/normal_text.sql
--! Included functions/conventions/text_error.sql
create or replace function conventions.text_error(value text, is_line boolean) returns jsonb
language sql immutable parallel safe
return case
  -- PostgreSQL cannot hold NUL or a lone surrogate. The API replaces both with the noncharacter U+FDD0, and a long run of
  -- combining marks with U+FDD1. This refuses all noncharacters: Unicode reserves them for use inside a program.
  when value ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]'
    then '{"code": "CHARACTERS", "message": "Text cannot contain NUL, a lone surrogate or a Unicode noncharacter."}'::jsonb
  when value ~ '\uFDD1' or not conventions.bounded_text(value, null)
    then '{"code": "MARKS", "message": "Text cannot contain more than 30 combining marks in a row."}'
  when is_line and value ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'
    and btrim(value, U&' \0009\000A\000B\000C\000D\0085\2028\2029') ~ '[\u0001-\u001F\u007F-\u009F\u2028\u2029]'
    then '{"code": "CHARACTERS", "message": "A line cannot contain a line break or another control character."}'
  -- Most of what is shown as nothing is ignorable by default, in the terms of Unicode.
  when octet_length(value) > char_length(value)
    and value ~ '^[\s\u00A0\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]+$'
    and value ~ '[^\s\u00A0\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]'
    then '{"code": "BLANK", "message": "Text needs a visible character."}'
end;
comment on function conventions.text_error(text, boolean) is $$Why no column takes this text, or no column of a single line: {code, message} with the code CHARACTERS, MARKS or BLANK; null for any other text. A text of white space only is left to the column’s own checks.$$;
grant execute on function conventions.text_error(text, boolean) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/text_error.sql
--! Included functions/conventions/validation_errors.sql
-- PostgreSQL reports only the first violated constraint, but a form shows all errors at once. This evaluates every check
-- constraint of a table for a row that need not exist, and returns all violations.
create or replace function conventions.validation_errors(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_check record;
  v_expressions text;
  v_holds boolean[];
  v_value text;
  v_bounds int[];
  v_code text;
  v_params jsonb;
  v_errors jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('column', key) || error order by key), '[]')
    into v_errors
    from jsonb_each_text(candidate)
   cross join lateral conventions.text_error(value, key = any (
           (select lines from conventions.tables t where t.relation = validation_errors.relation)::text[])) as error
   where error is not null;

  select string_agg(format('(%s)', expression), ', ' order by column_names, constraint_name)
    into v_expressions
    from conventions.constraint_messages where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_errors;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;
  if (false = any (v_holds)) is not true then
    return v_errors;
  end if;

  for v_check in
    select column_names[1] as column_name, expression, message, code,
           row_number() over (order by column_names, constraint_name) as place
      from conventions.constraint_messages where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_check.place] is not false;
    v_value := candidate ->> v_check.column_name;
    v_code := null;
    v_params := null;
    v_bounds := array[substring(v_check.expression from '>= (-?\d+)'), substring(v_check.expression from '<= (-?\d+)')];
    if v_check.expression like '%char_length(' || v_check.column_name || ')%' then
      if char_length(v_value) > v_bounds[2] then
        v_code := 'TOO_LONG';
        v_params := jsonb_build_object('max', v_bounds[2]);
      elsif char_length(v_value) < v_bounds[1] then
        v_code := 'TOO_SHORT';
        v_params := jsonb_build_object('min', v_bounds[1]);
      end if;
    elsif v_bounds <> array[null, null]::int[] then
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_errors := v_errors || jsonb_strip_nulls(jsonb_build_object(
      'column', v_check.column_name,
      'code', coalesce(v_check.code, v_code, conventions.default_code(v_check.expression), 'INVALID'),
      'message', coalesce(v_check.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_errors;
end $$;
comment on function conventions.validation_errors(regclass, jsonb) is $$The validation errors of a row of the table: a JSON array of {column, code, message, params}, one for each violated check constraint. The code is the one in the constraint’s comment (@code BLANK), else TOO_LONG or TOO_SHORT, else that of conventions.default_code(), else INVALID. Texts that no column takes have the errors of conventions.text_error().$$;
grant execute on function conventions.validation_errors(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/conventions/validation_errors.sql

-- The audit trail: which user changed which row, when and to what. Triggers write it, so that it has what psql does, too.
create type app_public.audit_action as enum ('INSERT', 'UPDATE', 'DELETE');
comment on type app_public.audit_action is $$@describe INSERT The row was created.
@describe UPDATE The row was changed.
@describe DELETE The row was deleted.
The kind of change to a row.$$;

create table app_public.audit_trail (
  id         bigint generated always as identity,
  changed_at timestamptz not null default statement_timestamp(),
  -- No foreign key: an entry outlives the user.
  actor_id   bigint default app_hidden.viewer_id(),
  actor_login text not null default session_user,
  action     app_public.audit_action not null,
  table_name text not null,
  row_key    text not null,
  changes    jsonb not null,
  -- In the order of time: a job deletes the oldest, and analysts count days.
  primary key (changed_at, id)
);
comment on table app_public.audit_trail is $$@behavior -*
The changes of rows: user, time, and old and new values. For SQL: no role of the API reads it.$$;
comment on column app_public.audit_trail.id is $$The entry’s id.$$;
comment on column app_public.audit_trail.changed_at is $$The time of the change.$$;
comment on column app_public.audit_trail.actor_id is $$The user who made the change through the API; null without a signed-in user, and for direct SQL. The user may be deleted by now.$$;
comment on column app_public.audit_trail.actor_login is $$The database login that made the change: the service’s or a person’s.$$;
comment on column app_public.audit_trail.action is $$The kind of change.$$;
comment on column app_public.audit_trail.table_name is $$The table. Without its schema if that is app_public.$$;
comment on column app_public.audit_trail.row_key is $$The row’s primary key, usually its id. The values of a composite key are separated by commas; a comma or a backslash in a value has a backslash before it.$$;
comment on column app_public.audit_trail.changes is $$The changed columns, each with its previous value as `old` and its new value as `new`, and without them where the trail does not keep values.$$;
-- Carries a row's own history.
create index audit_trail_table_name_row_key_idx on app_public.audit_trail (table_name, row_key, changed_at desc, id desc);
-- Carries what one person did.
create index audit_trail_actor_id_idx on app_public.audit_trail (actor_id, changed_at desc, id desc);

alter table app_public.audit_trail enable row level security;
-- No grants: tg__record_changes() adds entries, and whoever has SQL reads them.

-- Counters are kept while rows are written, so that reading one does not depend on how many rows there are. A transaction adds to
-- a shard that no other transaction is writing, and inserts one if all are taken. So nobody waits.
create table conventions.counters (
  name     text collate "C" primary key,
  relation regclass not null,
  columns  name[] not null,
  constraint counters_columns_check check (cardinality(columns) between 1 and 2)
);
comment on table conventions.counters is $$The declarations of conventions.count_rows(): the rows of a table, counted for each value of a column or of two.$$;
comment on column conventions.counters.name is $$The table and the columns: posts.author_id,status.$$;
comment on column conventions.counters.relation is $$The table.$$;
comment on column conventions.counters.columns is $$The columns.$$;
comment on constraint counters_columns_check on conventions.counters is $$A counter has one or two columns.$$;

alter table conventions.counters enable row level security;

create table conventions.counter_shards (
  counter text collate "C" not null,
  key     text collate "C" not null,
  shard   bigint generated always as identity,
  value   bigint not null,
  primary key (counter, key, shard)
) with (fillfactor = 50);
comment on table conventions.counter_shards is $$How many rows of a table have a value in the columns of a counter: the sum over the shards.$$;
comment on column conventions.counter_shards.counter is $$The counter.$$;
comment on column conventions.counter_shards.key is $$The value of the column; of two, both, separated by a comma. A comma or a backslash in them has a backslash before it.$$;
comment on column conventions.counter_shards.shard is $$Tells apart the parts of a sum, of which each transaction writes another.$$;
comment on column conventions.counter_shards.value is $$A part of the number of rows. It can be negative.$$;

alter table conventions.counter_shards enable row level security;
grant select on conventions.counter_shards to :API_ANONYMOUS, :API_MEMBER;
-- The policies are with the tables that are counted: a count tells no more than the policies of its table.

--! Included functions/conventions/record_changes.sql
create or replace function conventions.derived_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
  select array(
    select attname from pg_catalog.pg_attribute where attrelid = relation and attnum > 0 and attgenerated <> ''
     union all
    select attname
      from pg_catalog.pg_constraint
     cross join lateral unnest(conkey[2:]) as copy (number)
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = copy.number
     where conrelid = relation and contype = 'f' and conname like '%\_inherited\_fkey')
$$;
comment on function conventions.derived_columns(oid) is $$The columns that nobody writes: generated ones, and copies of another row’s columns. Copies are the columns after the first of a foreign key whose name ends in _inherited_fkey. The audit trail and updated_at ignore them.$$;

create or replace function conventions.escape_key(value text) returns text
language sql immutable parallel safe
return replace(replace(value, '\', '\\'), ',', '\,');
comment on function conventions.escape_key(text) is $$A value as a part of a key of several: with a backslash before each comma and backslash.$$;

-- plpgsql: each row that is recorded calls it, and a SQL function of this form costs ten times as much.
create or replace function conventions.row_key(version jsonb, columns text[]) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  if cardinality(columns) = 1 then
    return version ->> columns[1];
  end if;
  return (select string_agg(conventions.escape_key(version ->> name), ',' order by ordinality) from unnest(columns) with ordinality as c (name, ordinality));
end $$;
comment on function conventions.row_key(jsonb, text[]) is $$The key of a row in the audit trail: its value in the given column. Values of several columns are separated by commas; a comma or a backslash in a value has a backslash before it.$$;

-- As text: the comparison of arrays is not leakproof, so policies would keep it from the index.
create or replace function conventions.counter_key(version jsonb, first text, second text) returns text
language sql immutable parallel safe
return case when second is null then version ->> first
  else conventions.escape_key(version ->> first) || ',' || conventions.escape_key(version ->> second) end;
comment on function conventions.counter_key(jsonb, text, text) is $$The key of a row in a counter of one column, or of two, separated by a comma; null when one of them is.$$;

-- Security definer: no role may write the audit trail or the counters directly.
--
-- One trigger for a table and event serves the audit trail and all counters. Its arguments are written by
-- conventions.record(): the key columns ({} without audit), the columns whose values the trail omits ({*} for all), the names of the
-- counters, the first and the second column of each, and the columns that nobody writes.
--
-- Settings: the statements are planned once in a session, and shards are found by their index, also by a session that planned while there were few.
create or replace function conventions.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set plan_cache_mode = 'force_generic_plan' set enable_seqscan = off set jit = off as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv[0];
  v_omitted text[] := tg_argv[1];
  v_names text[] := tg_argv[2];
  v_firsts text[] := tg_argv[3];
  v_seconds text[] := tg_argv[4];
  v_derived text[] := tg_argv[5];
  v_old jsonb[] := '{}';
  v_new jsonb[] := '{}';
  v_is_many boolean;
  v_is_changed boolean;
  v_old_key text;
  v_new_key text;
  v_counters text[];
  v_keys text[];
  v_changes bigint[];
begin
  -- Few rows are frequent. They become values, so that one statement serves each kind of change, and is planned once in a session.
  if tg_op in ('INSERT', 'UPDATE') then
    v_new := array(select to_jsonb(few) from (select * from new_rows limit 100) as few);
    -- An insert with `on conflict do update` fires the trigger of an update, too.
    if v_new = '{}' then
      return null;
    end if;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    v_old := array(select to_jsonb(few) from (select * from old_rows limit 100) as few);
  end if;
  v_is_many := tg_op = 'TRUNCATE' or greatest(cardinality(v_old), cardinality(v_new)) = 100;
  -- A foreign key that keeps copies of another row's columns may update many rows, and nothing that is recorded.
  if v_is_many and tg_op = 'UPDATE' then
    execute format('select exists (select row(%1$s)::text from new_rows except all select row(%1$s)::text from old_rows)',
      (select string_agg(quote_ident(attname), ', ') from pg_catalog.pg_attribute
        where attrelid = tg_relid and attnum > 0 and not attisdropped and (attname <> all (v_derived) or attname = any (v_firsts || v_seconds))))
      into v_is_changed;
    if not v_is_changed then
      return null;
    end if;
  end if;
  if v_key <> '{}' then
    case
      when v_is_many and tg_op <> 'UPDATE' then
        -- Naming the columns takes half the time of jsonb_each() for each row, and longer to plan. A truncate has no transition table.
        execute (
          select format('insert into app_public.audit_trail (action, table_name, row_key, changes)
                         select %L, %L, conventions.row_key(jsonb_build_object(%s), $1), (''{'' || concat_ws('','', %s) || ''}'')::jsonb from %s',
                   case tg_op when 'INSERT' then 'INSERT' else 'DELETE' end, v_table,
                   (select string_agg(format('%L, %I', name, name), ', ') from unnest(v_key) as name),
                   string_agg(case when v_omitted && array[attname::text, '*'] then format('case when %I is not null then %L end', attname, to_json(attname) || ':{}')
                                else format('%L || to_json(%I)::text || ''}''', to_json(attname) || case tg_op when 'INSERT' then ':{"new":' else ':{"old":' end, attname) end, ', '),
                   case tg_op when 'INSERT' then 'new_rows' when 'DELETE' then 'old_rows' else tg_relid::regclass::text end)
            from pg_catalog.pg_attribute where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> all (v_derived))
          using v_key;
      when tg_op <> 'UPDATE' then
        insert into app_public.audit_trail (action, table_name, row_key, changes)
        select tg_op::app_public.audit_action, v_table, conventions.row_key(version, v_key), (
                 select coalesce(jsonb_object_agg(key, case when v_omitted && array[key, '*'] then '{}'
                          else jsonb_build_object(case tg_op when 'INSERT' then 'new' else 'old' end, value) end), '{}')
                   from jsonb_each(version) where value <> 'null' and key <> all (v_derived))
          from unnest(v_old || v_new) as version;
      else
        -- A row whose key changed has two entries: one deleted, one inserted.
        insert into app_public.audit_trail (action, table_name, row_key, changes)
        select (case when after is null then 'DELETE' when before is null then 'INSERT' else 'UPDATE' end)::app_public.audit_action,
               v_table, row_key, changes
          from (select conventions.row_key(to_jsonb(old_rows), v_key) as row_key, to_jsonb(old_rows) as before from old_rows) as old_versions
          full join (select conventions.row_key(to_jsonb(new_rows), v_key) as row_key, to_jsonb(new_rows) as after from new_rows) as new_versions using (row_key)
         cross join lateral (
               select jsonb_object_agg(key, case when v_omitted && array[key, '*'] then '{}'
                        else case when before is null then '{}' else jsonb_build_object('old', before -> key) end
                          || case when after is null then '{}' else jsonb_build_object('new', after -> key) end end) as changes
                 from jsonb_object_keys(coalesce(after, before)) as key
                where nullif(before -> key, 'null') is distinct from nullif(after -> key, 'null') and key <> all (v_derived)) as change
         where changes is not null;
    end case;
  end if;

  if v_names = '{}' then
    return null;
  end if;
  case
    when tg_op = 'TRUNCATE' then
      delete from conventions.counter_shards where counter = any (v_names);
    when v_is_many then
      execute format('select array_agg(counter), array_agg(key), array_agg(change)
        from (select counter, key, sum(sign)::bigint as change
                from (%s offset 0) as versions (version, sign)
               cross join unnest($1, $2, $3) as c (counter, first, second)
               cross join lateral conventions.counter_key(version, first, second) as key
               where key is not null group by counter, key having sum(sign) <> 0) as changes',
        case tg_op when 'INSERT' then 'select to_jsonb(new_rows), 1 from new_rows'
                   when 'DELETE' then 'select to_jsonb(old_rows), -1 from old_rows'
                   else 'select to_jsonb(new_rows), 1 from new_rows union all select to_jsonb(old_rows), -1 from old_rows' end)
        into v_counters, v_keys, v_changes using v_names, v_firsts, v_seconds;
    else
      -- Assignments: PostgreSQL computes them without a query.
      for v_row in 1 .. greatest(cardinality(v_old), cardinality(v_new)) loop
        for v_counter in 1 .. cardinality(v_names) loop
          v_old_key := conventions.counter_key(v_old[v_row], v_firsts[v_counter], v_seconds[v_counter]);
          v_new_key := conventions.counter_key(v_new[v_row], v_firsts[v_counter], v_seconds[v_counter]);
          if v_old_key is distinct from v_new_key then
            v_counters := v_counters || v_names[v_counter] || v_names[v_counter];
            v_keys := v_keys || v_old_key || v_new_key;
            v_changes := v_changes || array[-1, 1]::bigint[];
          end if;
        end loop;
      end loop;
  end case;
  for v_place in 1 .. coalesce(cardinality(v_keys), 0) loop
    continue when v_keys[v_place] is null;
    -- A shard that no other transaction is writing, or a new one, so that nobody waits. With a stricter isolation level, a row that was changed
    -- since the transaction began cannot be changed.
    update conventions.counter_shards set value = value + v_changes[v_place]
     where ctid = (select ctid from conventions.counter_shards s
                    where s.counter = v_counters[v_place] and s.key = v_keys[v_place]
                      and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
                    limit 1 for update skip locked);
    if not found then
      insert into conventions.counter_shards (counter, key, value) values (v_counters[v_place], v_keys[v_place], v_changes[v_place]);
    end if;
  end loop;
  return null;
end $$;
comment on function conventions.tg__record_changes() is $$After a statement: records its changes in the audit trail, and in the counters of the table. audit() and count_rows() attach it.$$;

-- A trigger with transition tables can serve one kind of statement only, so there are four.
create or replace function conventions.record(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_run text;
begin
  select format('for each statement execute function conventions.tg__record_changes(%L, %L, %L, %L, %L, %L)',
           coalesce(t.key_columns, '{}'), coalesce(t.omitted_columns, '{}'), coalesce(c.names, '{}'), coalesce(c.firsts, '{}'), coalesce(c.seconds, '{}'),
           conventions.derived_columns(record.relation))
    into v_run
    from (select array_agg(name order by name) as names, array_agg(columns[1]::text order by name) as firsts, array_agg(columns[2]::text order by name) as seconds
            from conventions.counters where counters.relation = record.relation) as c
    left join conventions.tables t on t.relation = record.relation
   where c.names is not null or t.key_columns is not null;
  -- Replacing a trigger locks the table.
  if v_run is null or pg_catalog.obj_description((select oid from pg_catalog.pg_trigger where tgrelid = relation and tgname = '_900_record_insert'), 'pg_trigger') = v_run then
    return;
  end if;
  execute format('create or replace trigger _900_record_insert after insert on %s referencing new table as new_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_update after update on %s referencing old table as old_rows new table as new_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_delete after delete on %s referencing old table as old_rows %s', relation, v_run);
  execute format('create or replace trigger _900_record_truncate before truncate on %s %s', relation, v_run);
  execute format('comment on trigger _900_record_insert on %s is %L', relation, v_run);
end $$;
comment on function conventions.record(regclass) is $$Attaches tg__record_changes() to a table, with what conventions.tables, conventions.counters and the catalogue say of it.$$;

create or replace function conventions.audit(relation regclass, omitted_columns name[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key name[] := (
    select array_agg(attname order by array_position(conkey, attnum))
      from pg_catalog.pg_constraint
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = any (conkey)
     where conrelid = relation and contype = 'p');
begin
  if v_key is null then
    raise exception using errcode = '42P16', message = format('%s has no primary key, which the audit trail needs to identify rows', relation);
  end if;
  insert into conventions.tables as t (relation, key_columns, omitted_columns)
  select audit.relation, v_key, case when pg_catalog.has_schema_privilege(':API_MEMBER', relnamespace, 'usage') then audit.omitted_columns else '{*}' end
    from pg_catalog.pg_class where oid = audit.relation
  on conflict on constraint tables_pkey do update set key_columns = excluded.key_columns, omitted_columns = excluded.omitted_columns;
  perform conventions.record(relation);
end $$;
comment on function conventions.audit(regclass, name[]) is $$Records changes of this table in the audit trail from now on. The table needs a primary key. The trail holds only the names of omitted columns that change, not their values: use it for long texts. For a table in a schema that members may not use, it omits all values. For DBAs, in a migration.$$;

create or replace function conventions.count_rows(relation regclass, counted name, counted_with name default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_counter text := format('%s.%s', (select relname from pg_catalog.pg_class where oid = relation), concat_ws(',', counted, counted_with));
begin
  insert into conventions.counters as c (name, relation, columns)
  values (v_counter, count_rows.relation, array_remove(array[counted, counted_with], null))
  on conflict on constraint counters_pkey do update set relation = excluded.relation, columns = excluded.columns;
  perform conventions.record(relation), conventions.repair_counter(v_counter);
end $$;
comment on function conventions.count_rows(regclass, name, name) is $$Counts the rows of each value of a column, or of each pair of values of two columns, in conventions.counter_shards, from now on. Idempotent. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/record_changes.sql
--! Included functions/conventions/counters.sql
-- The lock waits for transactions that write to the table, and lets nobody but readers in.
create or replace function conventions.repair_counter(counter text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_counter conventions.counters := (select c from conventions.counters c where c.name = repair_counter.counter);
  v_columns text := (select string_agg(quote_ident(name), ', ' order by ordinality) from unnest(v_counter.columns) with ordinality as c (name, ordinality));
begin
  execute format('lock table %s in share row exclusive mode', v_counter.relation);
  delete from conventions.counter_shards s where s.counter = repair_counter.counter;
  execute format('insert into conventions.counter_shards (counter, key, value)
    select $1, key, count(*)
      from (select conventions.counter_key(to_jsonb(counted), $2, $3) as key from (select %s from %s) as counted) as keys
     where key is not null group by key', v_columns, v_counter.relation) using counter, v_counter.columns[1]::text, v_counter.columns[2]::text;
end $$;
comment on function conventions.repair_counter(text) is $$Counts the rows of a counter again. Writers of the table wait meanwhile. For DBAs, after rows were written without triggers.$$;

create or replace function conventions.check_counters() returns table (counter text, key text, value bigint, right_value bigint)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_counter conventions.counters;
begin
  for v_counter in select * from conventions.counters order by name loop
    return query execute format($check$
      select $1, key, coalesce(stored.value, 0), coalesce(counted.value, 0)
        from (select key, sum(value)::bigint as value from conventions.counter_shards where counter = $1 group by key) as stored
        full join (
             select key, count(*) as value
               from (select conventions.counter_key(to_jsonb(counted), $2, $3) collate "C" as key from (select %s from %s) as counted) as keys
              where key is not null group by key) as counted using (key)
       where coalesce(stored.value, 0) <> coalesce(counted.value, 0) $check$,
      (select string_agg(quote_ident(name), ', ') from unnest(v_counter.columns) as c (name)), v_counter.relation)
      using v_counter.name, v_counter.columns[1]::text, v_counter.columns[2]::text;
  end loop;
end $$;
comment on function conventions.check_counters() is $$The counters that are wrong, with the value they should have: none. Reads all rows. For DBAs and tests.$$;

create or replace function conventions.repair_counters() returns setof text
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select wrong.counter from (select distinct counter from conventions.check_counters()) as wrong
   cross join lateral conventions.repair_counter(wrong.counter)
$$;
comment on function conventions.repair_counters() is $$Counts the rows of each wrong counter again, and returns the names of those counters. For DBAs.$$;

-- A key holds the name of an enum's value.
create or replace function conventions.follow_renamed_values() returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  select conventions.repair_counter(name)
    from conventions.counters
   where exists (
     select from unnest(columns) with ordinality as c (column_name, ordinality)
       join pg_catalog.pg_attribute on attrelid = relation and attname = column_name
       join pg_catalog.pg_type on pg_type.oid = atttypid and typtype = 'e'
       join conventions.counter_shards s on s.counter = counters.name
      where not exists (
        select from pg_catalog.pg_enum
         where enumtypid = pg_type.oid
           and case when cardinality(columns) = 1 then s.key = enumlabel
                    when ordinality = 1 then starts_with(s.key, conventions.escape_key(enumlabel::text) || ',')
                    else right(s.key, char_length(conventions.escape_key(enumlabel::text)) + 1) = ',' || conventions.escape_key(enumlabel::text) end))
$$;
comment on function conventions.follow_renamed_values() is $$Counts again where a counter has a key that is no value of its enum any more, because it has been renamed. Runs after each migration.$$;

create or replace function conventions.merge_shards() returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
  with taken as (
    delete from conventions.counter_shards
     where shard in (
       select shard from conventions.counter_shards
        where (counter, key) in (select counter, key from conventions.counter_shards group by counter, key having count(*) > 1 or sum(value) = 0)
          for update skip locked)
    returning counter, key, value)
  insert into conventions.counter_shards (counter, key, value)
  select counter, key, sum(value) from taken group by counter, key having sum(value) <> 0
$$;
comment on function conventions.merge_shards() is $$Merges the shards of each counter that no transaction is writing. A job calls it.$$;
--! EndIncluded functions/conventions/counters.sql
--! Included functions/conventions/validators.sql
-- validation_errors() reads the catalogue and plans a statement, which takes longer than everything else about a row. So each table
-- has a validator: a trigger function with its checks as plain expressions. A row that fails there goes through validation_errors(). A
-- check that is newer than the validator is still enforced by PostgreSQL, so a stale validator does no harm.
create or replace function conventions.write_validator(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_table conventions.tables := (select t from conventions.tables t where t.relation = write_validator.relation);
  v_function name := (select left('validate_' || relnamespace::regnamespace || '_' || relname, 63) from pg_catalog.pg_class where oid = relation);
  v_ignored text[] := conventions.derived_columns(relation) || 'updated_at'::text;
  v_body text;
  v_columns text;
  v_touching text;
  v_definition text;
begin
  with written as (
    select attname, typcategory = 'S' as is_text, typcategory not in ('B', 'D', 'E', 'N', 'T') as has_text
      from pg_catalog.pg_attribute
      join pg_catalog.pg_type on pg_type.oid = atttypid
     where attrelid = relation and attnum > 0 and not attisdropped and attgenerated = ''
  ), checks as (
    select expression, column_names from conventions.constraint_messages where table_id = relation and kind = 'c'
  ), conditions (condition) as (
    select format('((%s) is not false)', expression) from checks
    union all
    select format('(conventions.is_plain(%1$I::text) or conventions.text_error(%1$I::text, false) is null)', attname)
      from written where has_text and not is_text
  )
  select format(E'\n#variable_conflict use_column\ndeclare\n  v_is_text boolean := true;\n  v_is_valid boolean;\nbegin\n  begin\n%s    select v_is_text and %s\n      into v_is_valid from (select new.*) as candidate;\n'
                '  exception when undefined_column then\n    -- A column has been renamed since renew_validators() ran.\n    v_is_valid := false;\n  end;\n'
                '  if not v_is_valid then\n    perform conventions.raise_validation_errors(conventions.validation_errors(tg_relid, to_jsonb(new)));\n  end if;\n%s  return new;\nend ',
           -- Only text can hold what text_error() refuses. Plain text cannot, but for control characters in a line.
           (select string_agg(format(E'    if not conventions.is_plain(new.%1$I)%2$s then\n      new.%1$I := conventions.normal_text(new.%1$I, %3$s, %4$L);\n      v_is_text := v_is_text and conventions.text_error(new.%1$I, %4$L) is null;\n    end if;\n',
                     attname, case when attname = any (v_table.lines) then format(' or new.%I ~ ''^\s|\s$|[\u0001-\u001F\u007F]''', attname) else '' end,
                     -- The column's length limit, from its check constraint.
                     coalesce((select min(substring(expression from '<= (\d+)')::int) from checks
                                where expression like '%char_length(' || attname || ')%')::text, 'null'), attname = any (v_table.lines)), '' order by attname)
              from written where is_text),
           coalesce((select string_agg(condition, E'\n      and ' order by condition) from conditions), 'true'),
           case when v_table.is_touched then format(
             E'  if tg_op = ''UPDATE'' and to_jsonb(new) - %1$L::text[] is distinct from to_jsonb(old) - %1$L::text[] then\n'
             '    -- Later than before, even if the clock has been set back: clients compare it to find changes.\n'
             '    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval ''1 microsecond'');\n  end if;\n', v_ignored) else '' end),
         -- An update of none of these columns changes nothing here. PostgreSQL still enforces the checks.
         (select string_agg(quote_ident(attname), ', ' order by attname)
            from written where is_text or exists (select from checks where attname = any (column_names)))
    into v_body, v_columns;
  -- A foreign key that keeps copies of another row's columns updates many rows at once, and no other column. Nothing happens here then.
  select string_agg(quote_ident(attname), ', ' order by attname) filter (where not is_copied and attname <> all (v_ignored)) into v_touching
    from pg_catalog.pg_attribute
   cross join lateral (
         select exists (
           select from pg_catalog.pg_constraint
            where conrelid = relation and contype = 'f' and confupdtype = 'c' and attnum = any (conkey)
              and exists (select from pg_catalog.pg_attribute a
                           where a.attrelid = relation and a.attnum = any (conkey) and a.attname = any (v_ignored)))) as key (is_copied)
   where attrelid = relation and attnum > 0 and not attisdropped
  having bool_or(is_copied);

  if v_columns is null and not v_table.is_touched then
    return;
  end if;

  if not exists (select from pg_catalog.pg_proc where proname = v_function and pronamespace = 'conventions'::regnamespace and prosrc = v_body) then
    -- Security definer: runs the expressions of all checks, whatever the writer may execute.
    execute format('create or replace function conventions.%I() returns trigger
      language plpgsql security definer set search_path = pg_catalog, pg_temp as %L', v_function, v_body);
    execute format('comment on function conventions.%I() is %L', v_function,
      format('Before a row of %s is written: brings its texts into Unicode normal form C, and raises all its validation errors at once. Written by renew_validators() after each migration.', relation));
  end if;
  v_definition := format('before insert or update%s on %s for each row execute function conventions.%I()',
    coalesce(' of ' || case when v_table.is_touched then v_touching else v_columns end, ''), relation, v_function);
  -- Replacing a trigger locks the table.
  if coalesce(pg_catalog.obj_description((select oid from pg_catalog.pg_trigger where tgrelid = relation and tgname = '_200_validate'), 'pg_trigger'), '') <> v_definition then
    execute 'create or replace trigger _200_validate ' || v_definition;
    execute format('comment on trigger _200_validate on %s is %L', relation, v_definition);
  end if;
end $call$;
comment on function conventions.write_validator(regclass) is $$Writes the validator of a table and its trigger _200_validate, from the check constraints and the text columns that there are now.$$;

create or replace function conventions.renew_validators() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  -- A table may have been dropped.
  with gone as (delete from conventions.counters where not exists (select from pg_catalog.pg_class where oid = relation) returning name)
  delete from conventions.counter_shards where counter in (select name from gone);
  delete from conventions.tables where not exists (select from pg_catalog.pg_class where oid = relation);
  perform conventions.write_validator(relation) from conventions.tables where is_validated;
  perform conventions.record(relation) from (select relation from conventions.tables union select relation from conventions.counters) as t;
end $$;
comment on function conventions.renew_validators() is $$Writes the validators of all tables again, where checks or columns have changed, and tells their triggers which columns nobody writes. Runs after each migration.$$;

create or replace function conventions.validate(relation regclass, lines text[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select min(line) from unnest(lines) as line where not exists (
    select from pg_catalog.pg_attribute where attrelid = relation and attname = line and attnum > 0));
begin
  if v_unknown is not null then
    raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_unknown);
  end if;
  insert into conventions.tables as t (relation, is_validated, lines) values (validate.relation, true, validate.lines)
  on conflict on constraint tables_pkey do update set is_validated = true, lines = excluded.lines;
  perform conventions.write_validator(relation);
end $$;
comment on function conventions.validate(regclass, text[]) is $$Makes a table store all its texts in Unicode normal form C, trim the given columns, which hold a single line, and raise all validation errors of a row at once. A trigger of the table that reads texts before, such as _100_prepare, calls conventions.normal_text() itself. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/validators.sql
--! Included functions/conventions/apply_to.sql
create or replace function conventions.apply_to(relation regclass, lines text[] default '{}', is_audited boolean default true, omitted_columns name[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('revoke all on %s from public', relation);
  if not (select relrowsecurity from pg_catalog.pg_class where oid = relation) then
    execute format('alter table %s enable row level security', relation);
  end if;
  insert into conventions.tables (relation, is_touched)
  select apply_to.relation, exists (select from pg_catalog.pg_attribute where attrelid = apply_to.relation and attname = 'updated_at')
  on conflict on constraint tables_pkey do update set is_touched = excluded.is_touched;
  perform conventions.validate(relation, lines);
  if is_audited then
    perform conventions.audit(relation, omitted_columns);
  end if;
end $$;
comment on function conventions.apply_to(regclass, text[], boolean, name[]) is $$Gives a table what every table needs: row-level security, conventions.validate() with the columns of a single line, updated_at, and conventions.audit(). Idempotent: call it again when updated_at is added. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/apply_to.sql
--! Included functions/conventions/allow_writing.sql
create or replace function conventions.allow_writing(relation regclass, columns text[], on_insert regtype default null, on_update regtype default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_wanted record;
begin
  for v_wanted in
    select wanted.name, input.type, input.privilege, attribute.atttypid as accepted_type,
           a.atttypid as column_type, format_type(a.atttypid, a.atttypmod) as definition,
           case when input.privilege = 'insert' and a.attnotnull and not a.atthasdef then '@notNull' end as tag,
           conventions.comment_text(pg_catalog.col_description(relation, a.attnum)) as description
      from unnest(columns) with ordinality as wanted (name, ordinality)
     cross join (values (on_insert, 'insert'), (on_update, 'update')) as input (type, privilege)
      left join pg_catalog.pg_attribute a on a.attrelid = relation and a.attname = wanted.name and a.attnum > 0
      left join pg_catalog.pg_type t on t.oid = input.type
      left join pg_catalog.pg_attribute attribute on attribute.attrelid = t.typrelid and attribute.attname = wanted.name
     where input.type is not null
     order by wanted.ordinality
  loop
    if v_wanted.column_type is null then
      raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_wanted.name);
    end if;
    if v_wanted.accepted_type is null then
      execute format('alter type %s add attribute %I %s', v_wanted.type, v_wanted.name, v_wanted.definition);
    elsif v_wanted.accepted_type <> v_wanted.column_type then
      raise exception using errcode = '42804', message = format('%s of %s is not of the type of its column in %s', v_wanted.name, v_wanted.type, relation);
    end if;
    execute format('comment on column %s.%I is %L', v_wanted.type, v_wanted.name, concat_ws(E'\n', v_wanted.tag, v_wanted.description));
    execute format('grant %s (%I) on %s to :API_MEMBER', v_wanted.privilege, v_wanted.name, relation);
  end loop;
end $$;
comment on function conventions.allow_writing(regclass, text[], regtype, regtype) is $$Lets members write these columns through functions with these input types: adds the columns to the types, with their comments, and grants insert or update. In the type of an insert, a column that is not null and has no default is required. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/allow_writing.sql

-- Functions of the API insert, update and delete rows with the same helpers, and refuse in the same way.
--! Included functions/rows/refuse_missing.sql
create or replace function app_hidden.refuse_missing(thing text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'NTFND', message = format('No such %s', thing);
end $$;
comment on function app_hidden.refuse_missing(text) is $$Raises NTFND, which the API returns as NOT_FOUND. A missing row and an invisible row get the same message, so that clients cannot test which rows exist.$$;
grant execute on function app_hidden.refuse_missing(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/refuse_missing.sql
--! Included functions/rows/refuse_unauthorized.sql
create or replace function app_hidden.refuse_unauthorized(reason text default '', message text default 'Permission denied') returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '42501', message = refuse_unauthorized.message, detail = refuse_unauthorized.reason;
end $$;
comment on function app_hidden.refuse_unauthorized(text, text) is $$Raises PostgreSQL’s insufficient_privilege, which the API returns as UNAUTHORIZED. A reason, such as LAST_ADMIN, goes into extensions.reason, and its message to the client.$$;
grant execute on function app_hidden.refuse_unauthorized(text, text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/refuse_unauthorized.sql
--! Included functions/rows/add_value.sql
create or replace function app_hidden.add_value(enum regtype, value text, description text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_others text := regexp_replace(coalesce(pg_catalog.obj_description(enum, 'pg_type'), ''), format('(?n)^@describe %s .*\n?', value), '');
begin
  execute format('alter type %s add value if not exists %L', enum, value);
  execute format('comment on type %s is %L', enum, format(E'@describe %s %s\n%s', value, description, v_others));
end $$;
comment on function app_hidden.add_value(regtype, text, text) is $$Adds a value to an enum, with its description. Idempotent. A migration cannot use a value that it adds. For DBAs, in a migration.$$;
--! EndIncluded functions/rows/add_value.sql
create type app_public.delete_result as (
  success  boolean,
  message  text,
  id       bigint,
  relation text,
  post_id  bigint
);
comment on type app_public.delete_result is $$@foreignKey (post_id) references app_public.posts (id)|@fieldName post
The result of a deletion.$$;
comment on column app_public.delete_result.success is $$@notNull
Always true. A deletion that fails is an error instead.$$;
comment on column app_public.delete_result.message is $$@notNull
A sentence for the user that says what was deleted.$$;
comment on column app_public.delete_result.id is $$@notNull
The id of the deleted record; of leaveChat, the chat’s.$$;
comment on column app_public.delete_result.relation is $$@name deletedNodeId
@nodeIdOf id
The nodeId of the same record, which caches remove.$$;
comment on column app_public.delete_result.post_id is $$@behavior -*
The post of a deleted comment, as it is now; null for all else.$$;

create type app_public.action_result as (
  success boolean,
  message text
);
comment on type app_public.action_result is $$The result of a mutation that returns no record.$$;
comment on column app_public.action_result.success is $$@notNull
Always true. What fails is an error instead.$$;
comment on column app_public.action_result.message is $$@notNull
A sentence for the user that says what was done.$$;

--! Included functions/rows/require_row.sql
create or replace function app_hidden.require_row(relation regclass, id bigint, thing text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_exists boolean;
begin
  execute format('select exists (select from %s where id = $1)', relation) into v_exists using require_row.id;
  if not v_exists then
    perform app_hidden.refuse_missing(thing);
  end if;
end $$;
comment on function app_hidden.require_row(regclass, bigint, text) is $$Refuses with NOT_FOUND when the viewer can see no row with this id. The thing is the row’s name in the message.$$;
grant execute on function app_hidden.require_row(regclass, bigint, text) to :API_MEMBER;
--! EndIncluded functions/rows/require_row.sql
--! Included functions/rows/require_unchanged.sql
-- Text, so that no client parses it as a date and loses its microseconds.
create or replace function app_hidden.version_of(updated_at timestamptz) returns text
language sql stable parallel safe
return to_hex((extract(epoch from updated_at) * 1000000)::bigint);
comment on function app_hidden.version_of(timestamptz) is $$The version of a row whose updated_at grows with each change, as clients send it back to require_unchanged().$$;
grant execute on function app_hidden.version_of(timestamptz) to :API_ANONYMOUS, :API_MEMBER;

-- Security invoker: the viewer's policies and grants decide. A row that the viewer may not change is not locked, and the update that
-- follows refuses it. The lock waits for a transaction that is changing the row, and then reads what it has committed.
create or replace function app_hidden.require_unchanged(relation regclass, id bigint, if_version text) returns void
language plpgsql volatile strict set search_path = pg_catalog, pg_temp as $$
declare
  v_version text;
begin
  execute format('select app_hidden.version_of(updated_at) from %s where id = $1 for no key update', relation)
    into v_version using require_unchanged.id;
  if v_version <> if_version then
    raise exception using errcode = 'CHNGD', message = 'The row has changed', detail = v_version;
  end if;
end $$;
comment on function app_hidden.require_unchanged(regclass, bigint, text) is $$Locks a row, and refuses with CONFLICT and its version if that is another one. Does nothing when if_version is null.$$;
grant execute on function app_hidden.require_unchanged(regclass, bigint, text) to :API_MEMBER;
--! EndIncluded functions/rows/require_unchanged.sql
--! Included functions/rows/insert_row.sql
-- Security invoker: the viewer's policies and column grants decide.
--
-- A statement that is prepared under its columns' names takes half the time of one that is planned for each row. Its argument travels in a setting,
-- because an error's context in the log repeats the text of `execute`. It returns the row as one value, so that another column is no other type of result.
create or replace function app_hidden.insert_row(target anyelement, fields jsonb) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_columns text := (select string_agg(quote_ident(key), ', ') from jsonb_each(fields) where value <> 'null');
  v_name text := 'insert_row ' || md5(pg_typeof(target) || v_columns);
  v_result record;
begin
  if v_columns is null then
    raise exception using errcode = '22004', message = 'insert_row() needs a field';
  end if;
  perform set_config('app.inserted_row', fields::text, true);
  begin
    execute format('execute %I (current_setting(''app.inserted_row''))', v_name) into v_result;
  exception when invalid_sql_statement_name then
    execute format('prepare %I (text) as insert into %s as stored (%s) select %3$s from jsonb_populate_record(null::%2$s, $1::jsonb) returning stored as inserted',
      v_name, pg_typeof(target), v_columns);
    execute format('execute %I (current_setting(''app.inserted_row''))', v_name) into v_result;
  end;
  return v_result.inserted;
end $$;
comment on function app_hidden.insert_row(anyelement, jsonb) is $$Inserts the fields that are not null into the table of whose type the target is; other columns get their defaults. Returns the row. A field that is no column is an error.$$;
grant execute on function app_hidden.insert_row(anyelement, jsonb) to :API_MEMBER;
--! EndIncluded functions/rows/insert_row.sql
--! Included functions/rows/update_row.sql
-- Security invoker: the viewer's policies and column grants decide.
create or replace function app_hidden.update_row(target anyelement, id bigint, fields jsonb, thing text) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_table regclass := pg_typeof(target)::text;
  v_changes text := (
    select string_agg(case when fields -> 'cleared' ? key then format('%I = null', key)
                           else format('%1$I = coalesce(($2).%1$I, stored.%1$I)', key) end, ', ')
      from jsonb_object_keys(fields) as key where key <> 'cleared');
  v_count int;
begin
  if v_changes is null then
    raise exception using errcode = '22004', message = 'update_row() needs a field';
  end if;
  execute format('update %s as stored set %s where stored.id = $1 returning stored.*', v_table, v_changes)
    into target using update_row.id, jsonb_populate_record(target, fields);
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform app_hidden.require_row(v_table, update_row.id, thing);
    perform app_hidden.refuse_unauthorized();
  end if;
  return target;
end $$;
comment on function app_hidden.update_row(anyelement, bigint, jsonb, text) is $$Updates one row of the table of whose type the target is, and returns it. Null leaves a column unchanged, unless the array `cleared` among the fields names it: then it becomes null. A field that is no column is an error. Refuses with UNAUTHORIZED when the viewer can see the row, else with NOT_FOUND.$$;
grant execute on function app_hidden.update_row(anyelement, bigint, jsonb, text) to :API_MEMBER;
--! EndIncluded functions/rows/update_row.sql
--! Included functions/rows/delete_row.sql
-- Security invoker: the viewer's policies and grants decide.
create or replace function app_hidden.delete_row(relation regclass, id bigint, thing text) returns app_public.delete_result
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_count int;
begin
  execute format('delete from %s where id = $1', relation) using delete_row.id;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform app_hidden.require_row(relation, delete_row.id, thing);
    perform app_hidden.refuse_unauthorized();
  end if;
  return (true, format('%s %s is deleted.', upper(left(thing, 1)) || substr(thing, 2), delete_row.id),
    delete_row.id, relation::text, null::bigint);
end $$;
comment on function app_hidden.delete_row(regclass, bigint, text) is $$Deletes one row. Refuses with UNAUTHORIZED when the viewer can see the row, else with NOT_FOUND.$$;
grant execute on function app_hidden.delete_row(regclass, bigint, text) to :API_MEMBER;
--! EndIncluded functions/rows/delete_row.sql
--! Included functions/rows/is_import.sql
create or replace function app_hidden.is_import() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.is_import', true) = 'on', false);
comment on function app_hidden.is_import() is $$Whether npm run import writes the row. Triggers ask it that tell clients of new rows, or that set the times of a row: imported rows are old, and keep their times.$$;
--! EndIncluded functions/rows/is_import.sql
