--! Previous: sha1:731ac4192263b84466c936c2c55f296327bc2288
--! Hash: sha1:0b5e9be80ecd9b1a3128ac3e9df1ea413b0c9f58
--! Message: conventions of rows

-- Conventions: one call, app_hidden.protect(), gives a table texts in one form, all faults of a row in one error, updated_at and
-- the audit trail. Functions of the API insert, update and delete rows with the same helpers, and refuse in the same way.

-- Refusals.
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
create or replace function app_hidden.refuse_unauthorized() returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = '42501', message = 'Permission denied';
end $$;
comment on function app_hidden.refuse_unauthorized() is $$Raises PostgreSQL’s insufficient_privilege, which the API returns as UNAUTHORIZED.$$;
grant execute on function app_hidden.refuse_unauthorized() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/refuse_unauthorized.sql
--! Included functions/rows/refuse_faults.sql
create or replace function app_hidden.refuse_faults(faults jsonb) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if jsonb_array_length(refuse_faults.faults) > 0 then
    raise exception using
      errcode = 'FAULT',
      message = 'Input failed validation',
      detail = refuse_faults.faults::text;
  end if;
end $$;
comment on function app_hidden.refuse_faults(jsonb) is $$Raises FAULT, with the faults as its detail, unless the array is empty. The API returns VALIDATION_ERROR with a path for each fault.$$;
grant execute on function app_hidden.refuse_faults(jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/refuse_faults.sql

-- Faults: the broken check constraints, unique constraints and foreign keys of a row, with the comments of the constraints as messages.
--! Included functions/rows/rules.sql
create or replace function app_hidden.words_of(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function app_hidden.words_of(text) is $$A comment without its leading smart tags, which are for the API's plugins.$$;
grant execute on function app_hidden.words_of(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function app_hidden.code_in(comment text) returns text
language sql immutable parallel safe
return substring(comment from '^(?:@[^\n]*\n)*?@code +([A-Z][A-Z0-9_]*) *(?:\n|$)');
comment on function app_hidden.code_in(text) is $$The fault code in a constraint’s comment, from a line @code BLANK among its leading smart tags; null without one.$$;
grant execute on function app_hidden.code_in(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

create or replace function app_hidden.usual_code(expression text) returns text
language sql immutable parallel safe
return case
  when strpos(expression, ' ~ ''\S''') > 0 then 'BLANK'
  when expression ~ ' ~{1,2}\*? ''' then 'FORMAT'
  when expression not like '%char_length(%' and expression ~ '[<>]= -?\d' then 'OUT_OF_RANGE'
end;
comment on function app_hidden.usual_code(text) is $$The fault code of a check constraint whose comment names none: BLANK for a search for a character that is not white space, FORMAT for any other pattern, OUT_OF_RANGE for bounds; null for all others.$$;
grant execute on function app_hidden.usual_code(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

-- Error messages for violated constraints come from the catalogue: the constraint's columns name the field, and its comment
-- is the message. So a DBA who adds a constraint with a comment has also defined its error.
create or replace view app_hidden.rules as
select n.nspname as schema_name,
       t.relname as table_name,
       c.conname as rule_name,
       t.oid as table_id,
       c.contype::text as kind,
       (select array_agg(a.attname::text order by k.place)
          from unnest(c.conkey) with ordinality as k (attnum, place)
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as column_names,
       pg_catalog.pg_get_expr(c.conbin, c.conrelid) as expression,
       app_hidden.words_of(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message,
       app_hidden.code_in(pg_catalog.obj_description(c.oid, 'pg_constraint')) as code
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
       app_hidden.words_of(pg_catalog.obj_description(i.oid, 'pg_class')),
       app_hidden.code_in(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view app_hidden.rules is $$Every constraint and unique index, with its columns, and the error message and the fault code for clients. The code is null where the comment names none.$$;
grant select on app_hidden.rules to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/rows/rules.sql
--! Included functions/rows/bounded_text.sql
-- normalize() takes quadratic time for a run of combining marks, and neither a time-out nor pg_terminate_backend() interrupts it.
-- This check is linear. The ranges are the characters that normalisation reorders, and unassigned ones between them.
create or replace function app_hidden.bounded_text(value text, max_length int) returns boolean
language sql immutable parallel safe
return case
  when char_length(value) > max_length then false
  when octet_length(value) = char_length(value) then true
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
comment on function app_hidden.bounded_text(text, int) is $$Whether normalize() may run on a text: it has at most that many characters (null is no limit), and at most 30 combining marks in a row.$$;
grant execute on function app_hidden.bounded_text(text, int) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/bounded_text.sql
--! Included functions/rows/normal_text.sql
create or replace function app_hidden.normal_text(value text, max_length int, is_line boolean default false) returns text
language sql immutable parallel safe
return case
  -- Normalisation shortens a text to a quarter at most, so a longer one is too long in any form.
  when not app_hidden.bounded_text(value, 4 * max_length) then value
  when not is_line then normalize(value, NFC)
  -- A blank text stays, so that its blank check reports it.
  else coalesce(nullif(btrim(normalize(value, NFC), U&' \0009\000A\000B\000C\000D\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'), ''), value)
end;
comment on function app_hidden.normal_text(text, int, boolean) is $$The stored form of a text: Unicode normal form C, and trimmed if it is a single line. A text that is too long or has too many combining marks in a row stays as it is: app_hidden.faults() reports it.$$;
grant execute on function app_hidden.normal_text(text, int, boolean) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/normal_text.sql
--! Included functions/rows/faults.sql
-- PostgreSQL reports only the first violated constraint, but a form shows all errors at once. This evaluates every check
-- constraint of a table for a row that need not exist, and returns all violations.
create or replace function app_hidden.faults(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_rule record;
  v_expressions text;
  v_holds boolean[];
  v_value text;
  v_bounds int[];
  v_code text;
  v_params jsonb;
  v_faults jsonb;
begin
  -- PostgreSQL cannot hold NUL or a lone surrogate. The API replaces both with the noncharacter U+FDD0, and a long run of
  -- combining marks with U+FDD1. This refuses all noncharacters: Unicode reserves them for use inside a program.
  select coalesce(jsonb_agg(jsonb_build_object(
           'column', key, 'code', case when has_noncharacter then 'CHARACTERS' else 'MARKS' end,
           'message', case when has_noncharacter
             then 'Text cannot contain NUL, a lone surrogate or a Unicode noncharacter.'
             else 'Text cannot contain more than 30 combining marks in a row.' end) order by key), '[]')
    into v_faults
    from jsonb_each_text(candidate)
   cross join lateral (values (value ~ '[\uFDD0\uFDD2-\uFDEF\uFFFE\uFFFF]')) as found (has_noncharacter)
   where value ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]' or not app_hidden.bounded_text(value, null);

  select string_agg(format('(%s)', expression), ', ' order by column_names, rule_name)
    into v_expressions
    from app_hidden.rules where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_faults;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;
  if (false = any (v_holds)) is not true then
    return v_faults;
  end if;

  for v_rule in
    select column_names[1] as column_name, expression, message, code,
           row_number() over (order by column_names, rule_name) as place
      from app_hidden.rules where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_rule.place] is not false;
    v_value := candidate ->> v_rule.column_name;
    v_code := null;
    v_params := null;
    v_bounds := array[substring(v_rule.expression from '>= (-?\d+)'), substring(v_rule.expression from '<= (-?\d+)')];
    if v_rule.expression like '%char_length(' || v_rule.column_name || ')%' then
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
    v_faults := v_faults || jsonb_strip_nulls(jsonb_build_object(
      'column', v_rule.column_name,
      'code', coalesce(v_rule.code, v_code, app_hidden.usual_code(v_rule.expression), 'INVALID'),
      'message', coalesce(v_rule.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_faults;
end $$;
comment on function app_hidden.faults(regclass, jsonb) is $$The faults of a row of the table: a JSON array of {column, code, message, params}, one for each violated check constraint. The code is the one in the constraint’s comment (@code BLANK), else TOO_LONG or TOO_SHORT, else that of app_hidden.usual_code(), else INVALID. CHARACTERS and MARKS are for texts that no column takes.$$;
grant execute on function app_hidden.faults(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/faults.sql
--! Included functions/rows/tg__refuse_faults.sql
-- Security definer: the shortcut runs the expressions of all checks, whatever the writer may execute.
create or replace function app_hidden.tg__refuse_faults() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_fits boolean;
begin
  begin
    execute format('select app_hidden.%I($1)', app_hidden.shortcut_of(tg_relid)) into v_fits using new;
  exception when syntax_error_or_access_rule_violation then
    -- The shortcut is missing, or a column has been renamed since it was made.
    v_fits := false;
  end;
  if v_fits is not true then
    perform app_hidden.refuse_faults(app_hidden.faults(tg_relid, to_jsonb(new)));
  end if;
  return new;
end $$;
comment on function app_hidden.tg__refuse_faults() is $$Before a row is written: raises FAULT with all its faults, where PostgreSQL would report only the first.$$;
--! EndIncluded functions/rows/tg__refuse_faults.sql
--! Included functions/rows/shortcuts.sql
-- To find all faults of a row, faults() reads the catalogue and plans a statement, which takes longer than everything else
-- about the row. So each table has a shortcut: a function with its checks as plain expressions. A row that does not fit goes
-- through faults(), and a check that is newer than the shortcut is still enforced by PostgreSQL: a stale one does no harm.
create or replace function app_hidden.shortcut_of(relation oid) returns name
language sql stable set search_path = pg_catalog, pg_temp as $$
  select (relnamespace::regnamespace || '_' || relname || '_fits')::name from pg_catalog.pg_class where oid = relation
$$;
comment on function app_hidden.shortcut_of(oid) is $$The name of a table’s shortcut: a function that tells whether a row has no faults.$$;

create or replace function app_hidden.renew_shortcuts() returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_table record;
begin
  for v_table in
    select t.tgrelid::regclass as relation, app_hidden.shortcut_of(t.tgrelid) as shortcut,
           format(e'\n#variable_conflict use_column\nbegin\n  return (select %s\n    from (select candidate.*) as row);\nend ', terms.conditions) as body
      from pg_catalog.pg_trigger t
     cross join lateral (
       select coalesce(string_agg(condition, e'\n    and ' order by place, condition), 'true') as conditions
         from (
           select 1 as place, format('((%s) is not false)', expression) as condition
             from app_hidden.rules where table_id = t.tgrelid and kind = 'c'
           union all
           -- Only text can hold what faults() refuses in a text, and pure ASCII cannot.
           select 2, format('(octet_length(%1$I::text) = char_length(%1$I::text) or (%1$I::text !~ ''[\uFDD0-\uFDEF\uFFFE\uFFFF]'' and app_hidden.bounded_text(%1$I::text, null))) is not false', attname)
             from pg_catalog.pg_attribute
             join pg_catalog.pg_type on pg_type.oid = atttypid
            where attrelid = t.tgrelid and attnum > 0 and not attisdropped and attgenerated = ''
              and typcategory not in ('B', 'D', 'E', 'N', 'T')
         ) as each_condition
     ) as terms
     where t.tgfoid = 'app_hidden.tg__refuse_faults()'::regprocedure
  loop
    continue when exists (
      select from pg_catalog.pg_proc where proname = v_table.shortcut and pronamespace = 'app_hidden'::regnamespace and prosrc = v_table.body);
    execute format('create or replace function app_hidden.%I(candidate %s) returns boolean
      language plpgsql stable set search_path = pg_catalog, pg_temp as %L', v_table.shortcut, v_table.relation, v_table.body);
    execute format('comment on function app_hidden.%I(%s) is %L', v_table.shortcut, v_table.relation,
      format('Whether a row of %s has no faults. Written by renew_shortcuts() after each migration.', v_table.relation));
  end loop;
end $$;
comment on function app_hidden.renew_shortcuts() is $$Writes the functions that tell quickly whether a row has no faults, from the check constraints of each protected table. Runs after each migration.$$;
--! EndIncluded functions/rows/shortcuts.sql
--! Included functions/rows/normalize_text.sql
create or replace function app_hidden.tg__normalize_text() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_row jsonb := to_jsonb(new);
  v_changes jsonb;
begin
  -- Most rows cannot change: their texts are normal, and a line has no white space at its ends.
  if not exists (
    select from jsonb_each_text(v_row)
     where case
       when octet_length(value) = char_length(value) then key = any (tg_argv) and value ~ '^\s|\s$'
       when not app_hidden.bounded_text(value, null) or value is not nfc normalized then true
       else key = any (tg_argv) and app_hidden.normal_text(value, null, true) <> value
     end
  ) then
    return new;
  end if;

  select jsonb_object_agg(key, normal) into v_changes
    from jsonb_each(v_row) as field
   cross join lateral (values (field.value #>> '{}')) as given (text)
   cross join lateral app_hidden.normal_text(
     given.text,
     -- The column's length limit, from its check constraint.
     (select min(substring(expression from '<= (\d+)')::int) from app_hidden.rules
       where table_id = tg_relid and kind = 'c' and expression like '%char_length(' || key || ')%'),
     coalesce(key = any (tg_argv), false)) as normal
   where jsonb_typeof(field.value) = 'string'
     -- Skip what cannot change: ASCII without white space at its ends.
     and (octet_length(given.text) > char_length(given.text) or given.text ~ '^\s|\s$')
     and normal <> given.text;
  return case when v_changes is null then new else jsonb_populate_record(new, v_changes) end;
end $$;
comment on function app_hidden.tg__normalize_text() is $$Before a row is written: brings its texts into the form of app_hidden.normal_text(). The arguments are the columns of a single line. normalize_text() attaches it to a table.$$;

create or replace function app_hidden.normalize_text(relation regclass, lines text[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select min(line) from unnest(lines) as line where not exists (
    select from pg_catalog.pg_attribute where attrelid = relation and attname = line and attnum > 0));
begin
  if v_unknown is not null then
    raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_unknown);
  end if;
  execute format('create or replace trigger _050_normalize_text before insert or update on %s
    for each row execute function app_hidden.tg__normalize_text(%s)',
    relation, (select string_agg(quote_literal(line), ', ') from unnest(lines) as line));
  execute format('create or replace trigger _200_refuse_faults before insert or update on %s
    for each row execute function app_hidden.tg__refuse_faults()', relation);
end $$;
comment on function app_hidden.normalize_text(regclass, text[]) is $$Makes a table store all its texts in Unicode normal form C, trim the given columns, which hold a single line, and report all faults of a row at once.$$;
--! EndIncluded functions/rows/normalize_text.sql

-- The audit trail. Its table is in 000004, because its policy asks for admins, who are users.
--! Included functions/audit/row_key.sql
create or replace function app_hidden.row_key(version jsonb, columns text[]) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select string_agg(version ->> name, ',' order by place) from unnest(columns) with ordinality as c (name, place)
$$;
comment on function app_hidden.row_key(jsonb, text[]) is $$The key of a row: its values in the given columns, separated by commas.$$;
--! EndIncluded functions/audit/row_key.sql
--! Included functions/audit/row_changes.sql
create or replace function app_hidden.row_changes(before jsonb, after jsonb, is_secret boolean) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_object_agg(key, case
           when is_secret then '{}'
           when before is null then jsonb_build_object('new', after -> key)
           when after is null then jsonb_build_object('old', before -> key)
           else jsonb_build_object('old', before -> key, 'new', after -> key)
         end), '{}')
    from jsonb_object_keys(coalesce(after, before)) as key
   where nullif(before -> key, 'null') is distinct from nullif(after -> key, 'null')
$$;
comment on function app_hidden.row_changes(jsonb, jsonb, boolean) is $$The columns in which two versions of a row differ: {"column": {"old": …, "new": …}}, or {"column": {}} when the values are secret. When one version is null, all columns that are not null in the other.$$;
--! EndIncluded functions/audit/row_changes.sql
--! Included functions/audit/tg__record_changes.sql
-- Security definer: no role may write the audit trail directly.
--
-- Partitions are made ahead by maintain(). A month without one goes to the default partition, so no change waits for a partition
-- or fails without one.
--
-- One insert records all rows of a statement. The trigger's arguments are the key columns, which match the old version of a
-- row with the new one. Columns that nobody writes are left out.
create or replace function app_hidden.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_table text := case tg_table_schema when 'app_public' then '' else tg_table_schema || '.' end || tg_table_name;
  v_key text[] := tg_argv;
  v_computed text[] := app_hidden.computed_columns(tg_relid);
  -- For secret tables, record the names of the changed columns only.
  v_is_secret boolean := tg_table_schema = 'app_private';
begin
  case tg_op
    when 'INSERT' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'INSERT', v_table, app_hidden.row_key(after, v_key), app_hidden.row_changes(null, after, v_is_secret)
        from (select to_jsonb(new_rows) - v_computed as after from new_rows) as added;
    when 'DELETE' then
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select 'DELETE', v_table, app_hidden.row_key(before, v_key), app_hidden.row_changes(before, null, v_is_secret)
        from (select to_jsonb(old_rows) - v_computed as before from old_rows) as removed;
    when 'TRUNCATE' then
      -- A before trigger: a truncate has no transition table of old rows.
      execute format(
        'insert into app_public.audit_trail (action, table_name, row_key, changes)
         select ''DELETE'', $1, app_hidden.row_key(before, $2), app_hidden.row_changes(before, null, $3)
           from (select to_jsonb(truncated) - $4 as before from %s as truncated) as removed', tg_relid::regclass)
        using v_table, v_key, v_is_secret, v_computed;
    when 'UPDATE' then
      -- A row whose key changed counts as two rows: one deleted, one inserted.
      insert into app_public.audit_trail (action, table_name, row_key, changes)
      select (case when after is null then 'DELETE' when before is null then 'INSERT' else 'UPDATE' end)::app_public.audit_action,
             v_table, row_key, changes
        from (select app_hidden.row_key(to_jsonb(old_rows), v_key) as row_key, to_jsonb(old_rows) - v_computed as before
                from old_rows) as old_versions
        full join (select app_hidden.row_key(to_jsonb(new_rows), v_key) as row_key, to_jsonb(new_rows) - v_computed as after
                     from new_rows) as new_versions using (row_key)
       cross join lateral app_hidden.row_changes(before, after, v_is_secret) as changes
       where changes <> '{}';
  end case;
  return null;
end $$;
comment on function app_hidden.tg__record_changes() is $$After a statement: records its changes in the audit trail. record_changes_of() attaches it to a table.$$;
--! EndIncluded functions/audit/tg__record_changes.sql
--! Included functions/audit/record_changes_of.sql
-- A trigger with transition tables can serve one kind of statement only, so there are four.
create or replace function app_private.record_changes_of(relation regclass) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_key text := (
    select string_agg(quote_literal(attname), ', ' order by array_position(conkey, attnum))
      from pg_catalog.pg_constraint
      join pg_catalog.pg_attribute on attrelid = conrelid and attnum = any (conkey)
     where conrelid = relation and contype = 'p');
begin
  if v_key is null then
    raise exception using errcode = '42P16', message = format('%s has no primary key, which the audit trail needs to identify rows', relation);
  end if;
  execute format('create or replace trigger _900_record_inserts after insert on %s
    referencing new table as new_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_updates after update on %s
    referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_deletes after delete on %s
    referencing old table as old_rows for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
  execute format('create or replace trigger _900_record_truncates before truncate on %s
    for each statement execute function app_hidden.tg__record_changes(%s)', relation, v_key);
end $$;
comment on function app_private.record_changes_of(regclass) is $$Records changes of this table in the audit trail from now on. The table needs a primary key. For a table in app_private, the trail holds only the names of changed columns, not their values. For DBAs, in a migration.$$;
--! EndIncluded functions/audit/record_changes_of.sql

--! Included functions/rows/protect.sql
create or replace function app_hidden.tg__touch() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- In a before trigger, generated columns of the new row are still null.
  v_ignored text[] := app_hidden.computed_columns(tg_relid) || 'updated_at'::text;
begin
  if to_jsonb(new) - v_ignored is distinct from to_jsonb(old) - v_ignored then
    -- Later than before, even if the clock has been set back: clients compare it to find changes.
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end $$;
comment on function app_hidden.tg__touch() is $$Before a row is updated: sets its updated_at, if another column changes. protect() attaches it to a table.$$;

create or replace function app_hidden.protect(relation regclass, lines text[] default '{}', is_audited boolean default true) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
begin
  execute format('revoke all on %s from public', relation);
  if not (select relrowsecurity from pg_catalog.pg_class where oid = relation) then
    execute format('alter table %s enable row level security', relation);
  end if;
  if cardinality(lines) > 0 or exists (
    select from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
     where attrelid = relation and attnum > 0 and typcategory = 'S' and attgenerated = ''
  ) then
    perform app_hidden.normalize_text(relation, lines);
  elsif exists (select from pg_catalog.pg_constraint where conrelid = relation and contype = 'c') then
    execute format('create or replace trigger _200_refuse_faults before insert or update on %s
      for each row execute function app_hidden.tg__refuse_faults()', relation);
  end if;
  if exists (select from pg_catalog.pg_attribute where attrelid = relation and attname = 'updated_at') then
    execute format('create or replace trigger _150_touch before update on %s
      for each row execute function app_hidden.tg__touch()', relation);
  end if;
  if is_audited then
    perform app_private.record_changes_of(relation);
  end if;
end $$;
comment on function app_hidden.protect(regclass, text[], boolean) is $$Gives a table what every table needs: row-level security, normalize_text() with the columns of a single line, all faults of a row in one error, updated_at, and the audit trail. Idempotent: call it again when the first text, check constraint or updated_at is added. For DBAs, in a migration.$$;
--! EndIncluded functions/rows/protect.sql

-- For migrations.
--! Included functions/rows/accept.sql
create or replace function app_hidden.accept(relation regclass, columns text[], on_insert regtype default null, on_update regtype default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_wish record;
begin
  for v_wish in
    select wanted.name, input.type, input.privilege, attribute.atttypid as accepted_type,
           a.atttypid as column_type, format_type(a.atttypid, a.atttypmod) as definition,
           case when input.privilege = 'insert' and a.attnotnull and not a.atthasdef then '@notNull' end as tag,
           app_hidden.words_of(pg_catalog.col_description(relation, a.attnum)) as words
      from unnest(columns) with ordinality as wanted (name, place)
     cross join (values (on_insert, 'insert'), (on_update, 'update')) as input (type, privilege)
      left join pg_catalog.pg_attribute a on a.attrelid = relation and a.attname = wanted.name and a.attnum > 0
      left join pg_catalog.pg_type t on t.oid = input.type
      left join pg_catalog.pg_attribute attribute on attribute.attrelid = t.typrelid and attribute.attname = wanted.name
     where input.type is not null
     order by wanted.place
  loop
    if v_wish.column_type is null then
      raise exception using errcode = '42703', message = format('%s has no column %s', relation, v_wish.name);
    end if;
    if v_wish.accepted_type is null then
      execute format('alter type %s add attribute %I %s', v_wish.type, v_wish.name, v_wish.definition);
    elsif v_wish.accepted_type <> v_wish.column_type then
      raise exception using errcode = '42804', message = format('%s of %s is not of the type of its column in %s', v_wish.name, v_wish.type, relation);
    end if;
    execute format('comment on column %s.%I is %L', v_wish.type, v_wish.name, concat_ws(E'\n', v_wish.tag, v_wish.words));
    execute format('grant %s (%I) on %s to :API_MEMBER', v_wish.privilege, v_wish.name, relation);
  end loop;
end $$;
comment on function app_hidden.accept(regclass, text[], regtype, regtype) is $$Lets members write these columns through functions with these input types: adds the columns to the types, with their comments, and grants insert or update. In the type of an insert, a column that is not null and has no default is required. For DBAs, in a migration.$$;
--! EndIncluded functions/rows/accept.sql
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

-- For functions.
create type app_public.delete_result as (
  success  boolean,
  message  text,
  id       bigint,
  relation text
);
comment on type app_public.delete_result is $$The result of a deletion.$$;
comment on column app_public.delete_result.success is $$@notNull
Always true. A deletion that fails is an error instead.$$;
comment on column app_public.delete_result.message is $$@notNull
A sentence for the user that says what was deleted.$$;
comment on column app_public.delete_result.id is $$@notNull
The id of the deleted record. Of leaveChat, the chat’s: you can no longer see it.$$;
comment on column app_public.delete_result.relation is $$@name deletedNodeId
@nodeIdOf id
The nodeId of the same record, which caches remove.$$;

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
-- Security invoker: the viewer's policies and grants decide. A row that the viewer may not change is not locked, and the update that
-- follows refuses it. The lock waits for a transaction that is changing the row, and then reads what it has committed.
create or replace function app_hidden.require_unchanged(relation regclass, id bigint, if_updated_at timestamptz) returns void
language plpgsql volatile strict set search_path = pg_catalog, pg_temp as $$
declare
  v_updated_at timestamptz;
begin
  execute format('select updated_at from %s where id = $1 for no key update', relation)
    into v_updated_at using require_unchanged.id;
  if v_updated_at <> if_updated_at then
    -- A date would conflict each time, whatever the client reads again.
    if if_updated_at = date_trunc('day', if_updated_at, 'UTC') then
      perform app_hidden.refuse_faults(jsonb_build_array(jsonb_build_object('column', 'if_updated_at', 'code', 'FORMAT',
        'message', 'Give the whole moment, as updatedAt(format: DATE_TIME) answers it.')));
    end if;
    raise exception using errcode = 'CHNGD', message = 'The row has changed';
  end if;
end $$;
comment on function app_hidden.require_unchanged(regclass, bigint, timestamptz) is $$Locks a row, and refuses with CONFLICT if its updated_at is another one. Does nothing when if_updated_at is null.$$;
grant execute on function app_hidden.require_unchanged(regclass, bigint, timestamptz) to :API_MEMBER;
--! EndIncluded functions/rows/require_unchanged.sql
--! Included functions/rows/insert_row.sql
-- Security invoker: the viewer's policies and column grants decide.
create or replace function app_hidden.insert_row(target anyelement, fields jsonb) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_columns text := (select string_agg(quote_ident(key), ', ') from jsonb_each(fields) where value <> 'null');
begin
  if v_columns is null then
    raise exception using errcode = '22004', message = 'insert_row() needs a field';
  end if;
  execute format('insert into %s (%s) select %2$s from jsonb_populate_record(null::%1$s, $1) returning *', pg_typeof(target), v_columns)
    into target using fields;
  return target;
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
  v_changes text := (select string_agg(format('%1$I = coalesce(given.%1$I, stored.%1$I)', key), ', ') from jsonb_object_keys(fields) as key);
  v_count int;
begin
  if v_changes is null then
    raise exception using errcode = '22004', message = 'update_row() needs a field';
  end if;
  execute format('update %s as stored set %s from jsonb_populate_record(null::%1$s, $2) as given where stored.id = $1 returning stored.*',
    v_table, v_changes)
    into target using update_row.id, fields;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform app_hidden.require_row(v_table, update_row.id, thing);
    perform app_hidden.refuse_unauthorized();
  end if;
  return target;
end $$;
comment on function app_hidden.update_row(anyelement, bigint, jsonb, text) is $$Updates one row of the table of whose type the target is, and returns it. Null leaves a column unchanged; a field that is no column is an error. Refuses with UNAUTHORIZED when the viewer can see the row, else with NOT_FOUND.$$;
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
    delete_row.id, relation::text);
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
