--! Previous: sha1:37b4f1b79f1a0bc261e82c19db42296e220ef984
--! Hash: sha1:af9486d116d2f1c275633e45770dd4ee48821837
--! Message: rows are checked quickly

--! split: 860-quick-checks.sql
-- A row without faults is written in half the time: its checks are plain expressions, and plain ASCII is not normalised.
--! Included functions/normalize_text.sql
create or replace function app_hidden.tg__normalize_text() returns trigger
language plpgsql set search_path = '' as $$
declare
  v_row jsonb := to_jsonb(new);
  v_changes jsonb;
begin
  -- Most rows cannot change: ASCII without white space at the ends of a text.
  if not exists (select from jsonb_each_text(v_row) where octet_length(value) > char_length(value) or value ~ '^\s|\s$') then
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
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/normalize_text.sql
--! Included functions/shortcuts.sql
-- To find all faults of a row, faults() reads the catalogue and plans a statement, which takes longer than everything else
-- about the row. So each table has a shortcut: a function with its checks as plain expressions. A row that does not fit goes
-- through faults(), and a check that is newer than the shortcut is still enforced by PostgreSQL: a stale one does no harm.
create or replace function app_hidden.shortcut_of(relation oid) returns name
language sql stable set search_path = '' as $$
  select (relnamespace::regnamespace || '_' || relname || '_fits')::name from pg_catalog.pg_class where oid = relation
$$;
comment on function app_hidden.shortcut_of(oid) is $$The name of a table’s shortcut: a function that tells whether a row has no faults.$$;

create or replace function app_hidden.renew_shortcuts() returns void
language plpgsql volatile set search_path = '' as $$
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
      language plpgsql stable set search_path = '''' as %L', v_table.shortcut, v_table.relation, v_table.body);
    execute format('comment on function app_hidden.%I(%s) is %L', v_table.shortcut, v_table.relation,
      format('Whether a row of %s has no faults. Written by renew_shortcuts() after each migration.', v_table.relation));
  end loop;
end $$;
comment on function app_hidden.renew_shortcuts() is $$Writes the functions that tell quickly whether a row has no faults, from the check constraints of each protected table. Runs after each migration.$$;
--! EndIncluded functions/shortcuts.sql
--! Included functions/tg__refuse_faults.sql
-- Security definer: the shortcut runs the expressions of all checks, whatever the writer may execute.
create or replace function app_hidden.tg__refuse_faults() returns trigger
language plpgsql security definer set search_path = '' as $$
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
--! EndIncluded functions/tg__refuse_faults.sql
select app_hidden.renew_shortcuts();
