--! Previous: -
--! Hash: sha1:ee1347aaa109a09977fc58c8a4c347dd7ac39ec2
--! Message: ground

--! split: 100-ground.sql
-- The ground: who may reach which schema, who is asking, and how a refusal is raised.
--
-- Roles are made before the migrations (src/database/roles.ts), because they belong to the server, not to this database.
-- The service logs in as :API_LOGIN, which owns nothing, and becomes :API_ANONYMOUS or :API_MEMBER for each request.

-- Nothing is reachable unless it is granted: a function forgotten here is a function nobody can call.
alter default privileges revoke all on functions from public;
revoke all on schema public from public;

create schema app_public;
comment on schema app_public is $$What the API reflects. Every table, function and type here becomes part of the GraphQL schema.$$;
create schema app_hidden;
comment on schema app_hidden is $$Helpers that policies, triggers and functions need. Reachable by the API's roles, never reflected.$$;
create schema app_private;
comment on schema app_private is $$Secrets: addresses, passwords, sessions. No API role can enter.$$;

grant usage on schema app_public, app_hidden to :API_ANONYMOUS, :API_MEMBER;
grant usage on schema app_hidden, app_private to :API_LOGIN;

-- Slugs are ASCII. In a schema of ours, so that a bare search_path cannot swap it for another.
create extension unaccent with schema app_hidden;
grant execute on function app_hidden.unaccent(regdictionary, text) to :API_MEMBER;

--! Included functions/viewer_id.sql
create or replace function app_hidden.viewer_id() returns bigint
language sql stable parallel safe
return nullif(pg_catalog.current_setting('app.viewer_id', true), '')::bigint;
comment on function app_hidden.viewer_id() is $$The id of the user who is asking; null when nobody is signed in. Policies write (select app_hidden.viewer_id()), which runs once a query.$$;
grant execute on function app_hidden.viewer_id() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/viewer_id.sql
--! Included functions/rules.sql
create or replace function app_hidden.words_of(comment text) returns text
language sql immutable parallel safe
return nullif(regexp_replace(comment, '^(@[^\n]*(\n|$))+', ''), '');
comment on function app_hidden.words_of(text) is $$A comment without the smart tags at its head, which are for the API's plugins.$$;
grant execute on function app_hidden.words_of(text) to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;

-- What the service tells a client about a broken rule is read from the catalogue: the rule's columns name the field, its
-- comment is the message. A DBA who adds a constraint with a comment has written the error as well.
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
       app_hidden.words_of(pg_catalog.obj_description(c.oid, 'pg_constraint')) as message
  from pg_catalog.pg_constraint c
  join pg_catalog.pg_class t on t.oid = c.conrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where n.nspname not in ('pg_catalog', 'information_schema')
union all
-- A unique index over an expression is no constraint; its columns are those it depends on.
select n.nspname, t.relname, i.relname, t.oid, 'u',
       (select array_agg(distinct a.attname::text)
          from pg_catalog.pg_depend d
          join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
         where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = i.oid
           and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid = t.oid),
       null,
       app_hidden.words_of(pg_catalog.obj_description(i.oid, 'pg_class'))
  from pg_catalog.pg_index x
  join pg_catalog.pg_class i on i.oid = x.indexrelid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  join pg_catalog.pg_namespace n on n.oid = t.relnamespace
 where x.indisunique
   and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   and not exists (select from pg_catalog.pg_constraint c where c.conindid = x.indexrelid);
comment on view app_hidden.rules is $$Every constraint and unique index: the columns it is about and what a client is told when it is broken.$$;
grant select on app_hidden.rules to :API_ANONYMOUS, :API_MEMBER, :API_LOGIN;
--! EndIncluded functions/rules.sql
--! Included functions/faults.sql
-- PostgreSQL stops at the first broken constraint; a person who fills in a form wants to hear of all. This asks every
-- check constraint of a table about a row that may not be there yet, and answers with each that does not hold.
create or replace function app_hidden.faults(relation regclass, candidate jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
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
  -- NUL cannot reach PostgreSQL. The API sends it, and half a surrogate pair, as U+FDD0: one of the characters that
  -- Unicode keeps for use inside a program and forbids between programs. None of those may be stored, by anybody.
  select coalesce(jsonb_agg(jsonb_build_object(
           'column', key, 'code', 'INVALID',
           'message', 'Text cannot hold NUL, half a surrogate pair or a Unicode noncharacter.') order by key), '[]')
    into v_faults
    from jsonb_each_text(candidate)
   where value ~ '[\uFDD0-\uFDEF\uFFFE\uFFFF]';

  select string_agg(format('(%s)', expression), ', ' order by column_names, rule_name)
    into v_expressions
    from app_hidden.rules where table_id = relation and kind = 'c';
  if v_expressions is null then
    return v_faults;
  end if;
  execute format('select array[%s] from pg_catalog.jsonb_populate_record(null::%s, $1)', v_expressions, relation)
    into v_holds using candidate;

  for v_rule in
    select column_names[1] as column_name, expression, message,
           row_number() over (order by column_names, rule_name) as place
      from app_hidden.rules where table_id = relation and kind = 'c'
  loop
    continue when v_holds[v_rule.place] is not false;
    v_value := candidate ->> v_rule.column_name;
    v_code := 'INVALID';
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
      v_code := 'OUT_OF_RANGE';
      v_params := jsonb_strip_nulls(jsonb_build_object('min', v_bounds[1], 'max', v_bounds[2]));
    end if;
    v_faults := v_faults || jsonb_strip_nulls(jsonb_build_object(
      'column', v_rule.column_name, 'code', v_code,
      'message', coalesce(v_rule.message, 'This value is not allowed.'), 'params', v_params));
  end loop;
  return v_faults;
end $$;
comment on function app_hidden.faults(regclass, jsonb) is $$What is wrong with a row of that table: a JSON array of {column, code, message, params}, one for each check constraint that does not hold; empty when all do. Codes: TOO_LONG, TOO_SHORT, OUT_OF_RANGE, INVALID.$$;
grant execute on function app_hidden.faults(regclass, jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/faults.sql
--! Included functions/refuse_faults.sql
create or replace function app_hidden.refuse_faults(faults jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_array_length(refuse_faults.faults) > 0 then
    raise exception using
      errcode = 'FAULT',
      message = 'Input failed validation',
      detail = refuse_faults.faults::text;
  end if;
end $$;
comment on function app_hidden.refuse_faults(jsonb) is $$Raises FAULT with the faults as its detail, unless there are none. The API answers with VALIDATION_ERROR and a path for each.$$;
grant execute on function app_hidden.refuse_faults(jsonb) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_faults.sql
--! Included functions/tg__refuse_faults.sql
create or replace function app_hidden.tg__refuse_faults() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform app_hidden.refuse_faults(app_hidden.faults(tg_relid, to_jsonb(new)));
  return new;
end $$;
comment on function app_hidden.tg__refuse_faults() is $$Before a row is written: refuses it with all its faults at once, where PostgreSQL alone would name the first.$$;
--! EndIncluded functions/tg__refuse_faults.sql
--! Included functions/refuse_missing.sql
create or replace function app_hidden.refuse_missing(thing text) returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = 'NTFND', message = format('No such %s', thing);
end $$;
comment on function app_hidden.refuse_missing(text) is $$Raises NTFND, which the API answers with NOT_FOUND. The same words whether a row is missing or not the viewer’s to see, so that nobody can probe.$$;
grant execute on function app_hidden.refuse_missing(text) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_missing.sql
--! Included functions/refuse_unauthorized.sql
create or replace function app_hidden.refuse_unauthorized() returns void
language plpgsql immutable set search_path = '' as $$
begin
  raise exception using errcode = '42501', message = 'Not yours to do';
end $$;
comment on function app_hidden.refuse_unauthorized() is $$Raises PostgreSQL’s own insufficient_privilege, which the API answers with UNAUTHORIZED.$$;
grant execute on function app_hidden.refuse_unauthorized() to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/refuse_unauthorized.sql
