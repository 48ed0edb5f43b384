--! Previous: sha1:6e434f303f3e4a8f0fc2b795cfda7160f933c1e8
--! Hash: sha1:35239cf2426f58944e9b6f6bfac10e3ff21180b5
--! Message: an ordinary table gets its mutations in one call

--! split: 100-mutations.sql

-- An ordinary table gets its mutations in one call.
--! Included functions/conventions/add_mutations.sql
create or replace function conventions.add_mutations(relation regclass, what text, columns text[], author text default null) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_schema text := (select format('%I', relnamespace::regnamespace::text) from pg_catalog.pg_class where oid = relation);
  v_key text := (select format_type(a.atttypid, null) from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = relation and a.attnum = i.indkey[0]
                  where i.indrelid = relation and i.indisprimary and i.indnkeyatts = 1 and a.attname = 'id');
  v_input text;
begin
  if v_key is null then
    raise exception using errcode = '42704', message = format('%s has no column id that is its primary key', relation);
  end if;
  foreach v_input in array array['create', 'update'] loop
    v_input := format('%s.%I', v_schema, v_input || '_' || what || '_input');
    if to_regtype(v_input) is null then
      execute format('create type %s as ()', v_input);
    end if;
    execute format('comment on type %s is %L', v_input, format('What is written of a %s.', replace(what, '_', ' ')));
  end loop;
  perform conventions.allow_writing(relation, columns, format('%s.%I', v_schema, 'create_' || what || '_input')::regtype,
                                    format('%s.%I', v_schema, 'update_' || what || '_input')::regtype);
  execute format($sql$
    create or replace function %1$s.%4$I(input %1$s.%5$I) returns %2$s
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $body$
    declare
      v_row %2$s;
    begin
      return app_hidden.insert_row(v_row, to_jsonb(input)%3$s);
    end $body$;
    comment on function %1$s.%4$I(%1$s.%5$I) is %6$L;
    grant execute on function %1$s.%4$I(%1$s.%5$I) to :API_MEMBER$sql$,
    v_schema, relation, case when author is not null then format(' || jsonb_build_object(%L, app_hidden.viewer_id())', author) end,
    'create_' || what, 'create_' || what || '_input', format('Creates a %s.', replace(what, '_', ' ')));
  execute format($sql$
    create or replace function %1$s.%4$I(id %3$s, input %1$s.%5$I) returns %2$s
    language plpgsql volatile set search_path = pg_catalog, pg_temp as $body$
    declare
      v_row %2$s;
    begin
      return app_hidden.update_row(v_row, %4$I.id, to_jsonb(input), %7$L);
    end $body$;
    comment on function %1$s.%4$I(%3$s, %1$s.%5$I) is %6$L;
    grant execute on function %1$s.%4$I(%3$s, %1$s.%5$I) to :API_MEMBER$sql$,
    v_schema, relation, v_key, 'update_' || what, 'update_' || what || '_input',
    format('Changes the given fields of a %s.', replace(what, '_', ' ')), what);
  execute format($sql$
    create or replace function %1$s.%4$I(id %3$s) returns app_public.delete_result
    language sql volatile return app_hidden.delete_row(%2$L, %4$I.id, %5$L);
    comment on function %1$s.%4$I(%3$s) is %6$L;
    grant execute on function %1$s.%4$I(%3$s) to :API_MEMBER$sql$,
    v_schema, relation, v_key, 'delete_' || what, what, format('Deletes a %s.', replace(what, '_', ' ')));
end $$;
comment on function conventions.add_mutations(regclass, text, text[], text) is $$Writes the functions create_…, update_… and delete_… of a table with the key id, their input types with these columns, and their grants for members. `what` is the name of one row: note. The column `author` gets the viewer. They run with the viewer's rights: the table's policies and its other grants are yours. For DBAs, in a migration.$$;
--! EndIncluded functions/conventions/add_mutations.sql
