--! Previous: sha1:8886e5d3d6be6cad6d310c58c9759ac4ee6d1542
--! Hash: sha1:cb206ace86c909268924190636d13477e580af0c
--! Message: a table takes a few lines

--! split: 400-a-table-in-a-few-lines.sql
-- Tables, columns, mutations and enum values take fewer lines: what every migration repeated is now one call each.
--! Included functions/protect.sql
create or replace function app_hidden.tg__touch() returns trigger
language plpgsql set search_path = '' as $$
declare
  -- In a before trigger, generated columns of the new row are still null.
  v_ignored text[] := array(
    select attname::text from pg_catalog.pg_attribute where attrelid = tg_relid and attgenerated <> '') || 'updated_at'::text;
begin
  if to_jsonb(new) - v_ignored is distinct from to_jsonb(old) - v_ignored then
    new.updated_at := clock_timestamp();
  end if;
  return new;
end $$;
comment on function app_hidden.tg__touch() is $$Before a row is updated: sets its updated_at, if another column changes. protect() attaches it to a table.$$;

create or replace function app_hidden.protect(relation regclass, lines text[] default '{}', is_audited boolean default true) returns void
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/protect.sql
--! Included functions/accept.sql
create or replace function app_hidden.accept(relation regclass, columns text[], on_insert regtype default null, on_update regtype default null) returns void
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/accept.sql
--! Included functions/add_value.sql
create or replace function app_hidden.add_value(enum regtype, value text, description text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  v_others text := regexp_replace(coalesce(pg_catalog.obj_description(enum, 'pg_type'), ''), format('(?n)^@describe %s .*\n?', value), '');
begin
  execute format('alter type %s add value if not exists %L', enum, value);
  execute format('comment on type %s is %L', enum, format(E'@describe %s %s\n%s', value, description, v_others));
end $$;
comment on function app_hidden.add_value(regtype, text, text) is $$Adds a value to an enum, with its description. Idempotent. A migration cannot use a value that it adds. For DBAs, in a migration.$$;
--! EndIncluded functions/add_value.sql
--! Included functions/require_row.sql
create or replace function app_hidden.require_row(relation regclass, id bigint, thing text) returns void
language plpgsql stable set search_path = '' as $$
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
--! EndIncluded functions/require_row.sql
--! Included functions/insert_row.sql
-- Security invoker: the viewer's policies and column grants decide.
create or replace function app_hidden.insert_row(target anyelement, fields jsonb) returns anyelement
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/insert_row.sql
--! Included functions/update_row.sql
-- Security invoker: the viewer's policies and column grants decide.
create or replace function app_hidden.update_row(target anyelement, id bigint, fields jsonb, thing text) returns anyelement
language plpgsql volatile set search_path = '' as $$
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
--! EndIncluded functions/update_row.sql
--! Included functions/delete_row.sql
-- Security invoker: the viewer's policies and grants decide.
create or replace function app_hidden.delete_row(relation regclass, id bigint, thing text) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
declare
  v_count int;
begin
  execute format('delete from %s where id = $1', relation) using delete_row.id;
  get diagnostics v_count = row_count;
  if v_count = 0 then
    perform app_hidden.require_row(relation, delete_row.id, thing);
    perform app_hidden.refuse_unauthorized();
  end if;
  return (true, format('%s %s is deleted.', upper(left(thing, 1)) || substr(thing, 2), delete_row.id));
end $$;
comment on function app_hidden.delete_row(regclass, bigint, text) is $$Deletes one row. Refuses with UNAUTHORIZED when the viewer can see the row, else with NOT_FOUND.$$;
grant execute on function app_hidden.delete_row(regclass, bigint, text) to :API_MEMBER;
--! EndIncluded functions/delete_row.sql
--! Included functions/create_post.sql
create or replace function app_public.create_post(input app_public.create_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    -- Fields of the input are columns of posts, except the tags.
    v_post := app_hidden.insert_row(v_post, to_jsonb(input) - 'tags' || jsonb_build_object('author_id', app_hidden.viewer_id()));
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  perform app_hidden.set_post_tags(v_post.id, input.tags);
  return v_post;
end $$;
comment on function app_public.create_post(app_public.create_post_input) is $$Creates a post with you as its author.$$;
grant execute on function app_public.create_post(app_public.create_post_input) to :API_MEMBER;
--! EndIncluded functions/create_post.sql
--! Included functions/update_post.sql
create or replace function app_public.update_post(id bigint, input app_public.update_post_input) returns app_public.posts
language plpgsql volatile set search_path = '' as $$
declare
  v_faults jsonb := app_hidden.tag_faults(input.tags);
  v_detail text;
  v_post app_public.posts;
begin
  begin
    -- Fields of the input are columns of posts, except the tags.
    v_post := app_hidden.update_row(v_post, update_post.id, to_jsonb(input) - 'tags', 'post');
  exception when sqlstate 'FAULT' then
    get stacked diagnostics v_detail = pg_exception_detail;
    v_faults := v_detail::jsonb || v_faults;
  end;
  perform app_hidden.refuse_faults(v_faults);
  if input.tags is not null then
    perform app_hidden.set_post_tags(v_post.id, input.tags);
    select * into v_post from app_public.posts where posts.id = v_post.id;
  end if;
  return v_post;
end $$;
comment on function app_public.update_post(bigint, app_public.update_post_input) is $$@describe id The post to change.
Changes a post of yours. Fields that the input leaves out stay unchanged.$$;
grant execute on function app_public.update_post(bigint, app_public.update_post_input) to :API_MEMBER;
--! EndIncluded functions/update_post.sql
--! Included functions/delete_post.sql
create or replace function app_public.delete_post(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
begin
  return app_hidden.delete_row('app_public.posts', delete_post.id, 'post');
end $$;
comment on function app_public.delete_post(bigint) is $$@describe id The post to delete.
Deletes a post of yours, with its comments.$$;
grant execute on function app_public.delete_post(bigint) to :API_MEMBER;
--! EndIncluded functions/delete_post.sql
--! Included functions/create_comment.sql
create or replace function app_public.create_comment(post_id bigint, text text) returns app_public.comments
language plpgsql volatile set search_path = '' as $$
declare
  v_comment app_public.comments;
begin
  perform app_hidden.require_row('app_public.posts', create_comment.post_id, 'post');
  insert into app_public.comments (post_id, author_id, text)
  values (create_comment.post_id, app_hidden.viewer_id(), create_comment.text)
  returning * into v_comment;
  return v_comment;
end $$;
comment on function app_public.create_comment(bigint, text) is $$@describe post_id The post to comment on.
@describe text The text: 1 to 5,000 characters.
Adds a comment to a post.$$;
grant execute on function app_public.create_comment(bigint, text) to :API_MEMBER;
--! EndIncluded functions/create_comment.sql
--! Included functions/delete_comment.sql
create or replace function app_public.delete_comment(id bigint) returns app_public.delete_result
language plpgsql volatile set search_path = '' as $$
begin
  return app_hidden.delete_row('app_public.comments', delete_comment.id, 'comment');
end $$;
comment on function app_public.delete_comment(bigint) is $$@describe id The comment to delete.
Deletes a comment of yours.$$;
grant execute on function app_public.delete_comment(bigint) to :API_MEMBER;
--! EndIncluded functions/delete_comment.sql
drop function if exists app_hidden.refuse_post(bigint);
