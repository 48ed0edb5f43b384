--! Previous: sha1:5f31a95c2eeb0a28b21a381c00dcb96734c69892
--! Hash: sha1:059b926c393198fce743c1d0c5e870ce6781dcd4
--! Message: visibility and idempotency

-- Inherited visibility, and calls that a client repeats.

create policy select_as_admin on app_public.audit_trail for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
create policy select_as_admin on conventions.counter_shards for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));

-- Rows that are visible when another row is, such as the comments of a post.
create table app_private.shown_with_parent (
  relation   regclass primary key,
  key_column name not null,
  parent     regclass not null,
  parent_key name not null,
  copied     name[] not null
);
comment on table app_private.shown_with_parent is $$Tables whose rows are visible when the row that a foreign key refers to is: see app_hidden.show_with_parent().$$;
comment on column app_private.shown_with_parent.relation is $$The table.$$;
comment on column app_private.shown_with_parent.key_column is $$The foreign key.$$;
comment on column app_private.shown_with_parent.parent is $$The table that it refers to.$$;
comment on column app_private.shown_with_parent.parent_key is $$The column that it refers to.$$;
comment on column app_private.shown_with_parent.copied is E'Columns that have the values of the parent''s columns of the same names.';

alter table app_private.shown_with_parent enable row level security;

create table app_hidden.unsettled (
  relation    regclass not null,
  key         text not null,
  next_block  bigint not null default 0,
  has_changes boolean not null default false,
  primary key (relation, key)
);
comment on table app_hidden.unsettled is $$The keys whose rows in a table may have a wrong is_public, so that policies look the parent up; an empty key if rows of any key may have is_public false by mistake.$$;

alter table app_hidden.unsettled enable row level security;
create policy select_all on app_hidden.unsettled for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select on app_hidden.unsettled to :API_ANONYMOUS, :API_MEMBER;

--! Included functions/rows/settle_rows.sql
create or replace function app_private.wrong_rows_of(relation regclass) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('%s as child join %s as parent on parent.%I = child.%I
           where (child.is_public is distinct from (app_hidden.is_public(parent) is true)%s)',
           s.relation, parent, parent_key, key_column,
           (select string_agg(format(' or parent.%1$I is distinct from child.%1$I', name), '') from unnest(copied) as name))
    from app_private.shown_with_parent s where s.relation = wrong_rows_of.relation
$$;
comment on function app_private.wrong_rows_of(regclass) is $$The part of a statement that finds the rows whose columns of show_with_parent() are not those of their parent.$$;

create or replace function app_private.settle_rows(batch int) returns int
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_entry record;
  v_wrong text;
  v_lock text;
  v_last_block bigint;
  v_settled int := 0;
  v_count int;
begin
  for v_entry in
    select u.key, u.next_block, u.has_changes, s.*, format_type(atttypid, null) as key_type
      from app_hidden.unsettled u
      join app_private.shown_with_parent s using (relation)
      join pg_catalog.pg_attribute a on attrelid = s.parent and attname = s.parent_key
     order by u.relation, u.key for update of u skip locked
  loop
    exit when v_settled >= batch;
    v_wrong := app_private.wrong_rows_of(v_entry.relation);
    -- As the trigger does, so that it does not wait for a parent while this function holds the row.
    v_lock := format('for update of child skip locked for %s of parent skip locked',
      case when cardinality(v_entry.copied) > 0 then 'no key update' else 'key share' end);
    if v_entry.key = '' then
      -- The whole table, part by part, until a walk changes nothing: a row that somebody updates moves.
      v_last_block := v_entry.next_block + batch / 50;
      execute format('update %1$s set is_public = is_public where ctid = any (array(
          select child.ctid from %2$s and child.ctid >= %3$L and child.ctid < %4$L %5$s))',
        v_entry.relation, v_wrong, format('(%s,0)', v_entry.next_block), format('(%s,0)', v_last_block + 1), v_lock);
      get diagnostics v_count = row_count;
      if (v_last_block + 1) * current_setting('block_size')::bigint < pg_relation_size(v_entry.relation) then
        update app_hidden.unsettled u set next_block = v_last_block + 1, has_changes = u.has_changes or v_count > 0
         where u.relation = v_entry.relation and u.key = '';
      elsif v_entry.has_changes or v_count > 0 then
        update app_hidden.unsettled u set next_block = 0, has_changes = false where u.relation = v_entry.relation and u.key = '';
      else
        delete from app_hidden.unsettled u where u.relation = v_entry.relation and u.key = '';
      end if;
      v_settled := v_settled + v_count;
    else
      v_wrong := v_wrong || format(' and parent.%I = %L::%s', v_entry.parent_key, v_entry.key, v_entry.key_type);
      -- Until the end of this transaction, nobody changes the parent or adds rows to it.
      execute format('select from %s as parent where parent.%I = %L::%s for update skip locked',
        v_entry.parent, v_entry.parent_key, v_entry.key, v_entry.key_type);
      get diagnostics v_count = row_count;
      if v_count > 0 then
        execute format('update %s set is_public = is_public where ctid = any (array(select child.ctid from %s limit %s %s))',
          v_entry.relation, v_wrong, batch - v_settled, v_lock);
        get diagnostics v_count = row_count;
        v_settled := v_settled + v_count;
        execute format('delete from app_hidden.unsettled u where u.relation = $1 and u.key = $2 and not exists (select from %s)', v_wrong)
          using v_entry.relation, v_entry.key;
      else
        execute format('delete from app_hidden.unsettled u where u.relation = $1 and u.key = $2
            and not exists (select from %s as parent where parent.%I = %L::%s)',
          v_entry.parent, v_entry.parent_key, v_entry.key, v_entry.key_type) using v_entry.relation, v_entry.key;
      end if;
    end if;
  end loop;
  return v_settled;
end $$;
comment on function app_private.settle_rows(int) is $$Corrects up to batch rows of show_with_parent() whose parents are on the list app_hidden.unsettled, and takes those off it that are done. Returns the number of rows.$$;

create or replace function app_private.wrongly_shown() returns table (relation regclass, row_key text, is_revealed boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_source app_private.shown_with_parent;
begin
  for v_source in select * from app_private.shown_with_parent loop
    return query execute format($sql$
      select %1$L::regclass, conventions.row_key(to_jsonb(child), %2$L), child.is_public from %3$s
         and not exists (select from app_hidden.unsettled u where u.relation = %1$L::regclass and u.key = child.%4$I::text)
         and (child.is_public or not exists (select from app_hidden.unsettled u where u.relation = %1$L::regclass and u.key = '')) $sql$,
      v_source.relation,
      array(select attname from pg_catalog.pg_constraint
              join pg_catalog.pg_attribute on attrelid = conrelid and attnum = any (conkey)
             where conrelid = v_source.relation and contype = 'p' order by array_position(conkey, attnum)),
      app_private.wrong_rows_of(v_source.relation), v_source.key_column);
  end loop;
  return query
  select 'app_public.tags'::regclass, id::text, true from app_public.tags
   where is_public and not exists (select from app_public.post_tags where tag_id = tags.id and post_tags.is_public);
end $$;
comment on function app_private.wrongly_shown() is $$The rows whose is_public, or another column that is kept with it, is wrong: none. is_revealed says that the policies show the row to everybody; the others are only looked up each time. It reads all rows. For DBAs and tests.$$;
--! EndIncluded functions/rows/settle_rows.sql
--! Included functions/rows/show_with_parent.sql
-- Rows that are visible when another row is, such as the comments of a post. Their column is_public says that everybody may see
-- the other row, their parent. So policies look the parent up for the other rows only.
--
-- A transaction that adds a row reads the parent, and one that changes the parent changes its rows. Neither may miss the other:
-- - A new row locks the parent and then reads it. So it waits while another transaction changes the parent's visibility.
-- - That transaction locks the parent against new rows, unless there are some that are not committed yet. Then it does not wait. It
--   puts the parent on the list app_hidden.unsettled, as it does with a parent that has many rows, and in an isolation level
--   that does not see the newest rows.
-- - Policies look up a parent that is on the list, whatever is_public says. settle_rows() corrects its rows in batches.
--
-- The trigger of the rows has generic plans: for a row without a parent, PostgreSQL would plan its statements each time.
create or replace function app_hidden.show_with_parent(relation regclass, key_column name, copied name[] default '{}') returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $call$
declare
  v_parent regclass;
  v_parent_key name;
  v_key_type text;
  v_name text := (select relname from pg_catalog.pg_class where oid = relation);
  v_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__show_with_parent');
  v_parent_function text := format('app_hidden.%I', left('tg_' || v_name, 40) || '__follow_parent');
begin
  select k.confrelid, theirs.attname, format_type(theirs.atttypid, null) into v_parent, v_parent_key, v_key_type
    from pg_catalog.pg_constraint k
    join pg_catalog.pg_attribute ours on ours.attrelid = k.conrelid and array[ours.attnum] = k.conkey
    join pg_catalog.pg_attribute theirs on theirs.attrelid = k.confrelid and array[theirs.attnum] = k.confkey
   where k.contype = 'f' and k.conrelid = relation and ours.attname = key_column;
  if not found then
    raise exception using errcode = '42P16', message = format('%s.%I is not a foreign key of one column', relation, key_column);
  end if;
  insert into app_private.shown_with_parent as s values (relation, key_column, v_parent, v_parent_key, copied)
  on conflict on constraint shown_with_parent_pkey do update
    set key_column = excluded.key_column, parent = excluded.parent, parent_key = excluded.parent_key, copied = excluded.copied;

  -- A constant default does not rewrite the table.
  execute format('alter table %s add column if not exists is_public boolean not null default false', relation);
  execute format('comment on column %s.is_public is %L', relation,
    E'@behavior -*\nWhether everybody may see the row that this one is shown with, and so this one.');

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = 'force_generic_plan' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%4$I for %5$s;
      -- A statement of its own sees what was committed before it got the lock.
      select app_hidden.is_public(parent) is true%6$s into new.is_public%7$s from %2$s as parent where parent.%3$I = new.%4$I;
      new.is_public := coalesce(new.is_public, false);
      if new.%4$I is not null and current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
        new.is_public := false;
        insert into app_hidden.unsettled (relation, key) values (tg_relid, new.%4$I) on conflict do nothing;
      end if;
      return new;
    end $$ $sql$,
    v_function, v_parent, v_parent_key, key_column,
    -- With copied columns, writers of a parent's rows take turns with writers of the parent.
    case when cardinality(copied) > 0 then 'no key update' else 'key share' end,
    (select string_agg(', parent.' || quote_ident(name), '') from unnest(copied) as name),
    (select string_agg(', new.' || quote_ident(name), '') from unnest(copied) as name));
  execute format('comment on function %s() is %L', v_function,
    format('Before a row of %s is written: sets is_public. Made by show_with_parent().', v_name));
  execute format('create or replace trigger _110_show_with_parent before insert or update of %I, is_public%s on %s
    for each row execute function %s()', key_column,
    (select string_agg(', ' || quote_ident(name), '') from unnest(copied) as name), relation, v_function);

  execute format($sql$
    create or replace function %1$s() returns trigger
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%3$I for %6$s;
      if found and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
         and (select count(*) from (select from %4$s as child where child.%5$I = new.%3$I limit 101) as first) <= 100 then
        update %4$s as child set is_public = child.is_public where child.%5$I = new.%3$I;
      else
        insert into app_hidden.unsettled (relation, key) values (%4$L, new.%3$I) on conflict do nothing;
      end if;
      return null;
    end $$ $sql$,
    v_parent_function, v_parent, v_parent_key, relation, key_column,
    case when cardinality(copied) > 0 then 'no key update' else 'update skip locked' end);
  execute format('comment on function %s() is %L', v_parent_function,
    format('After the visibility of a row changes: changes is_public of its rows in %s. Made by show_with_parent().', v_name));
  execute format('create or replace trigger %I after update on %s for each row
    when (app_hidden.is_public(old) is distinct from app_hidden.is_public(new)%s) execute function %s()',
    left('_650_show_' || v_name, 63), v_parent,
    (select string_agg(format(' or old.%1$I is distinct from new.%1$I', name), '') from unnest(copied) as name), v_parent_function);

  -- A policy that is there stays as it is written.
  if not exists (select from pg_catalog.pg_policy where polrelid = relation and polname = 'select_visible') then
    execute format($sql$
      create policy select_visible on %1$s for select to :API_ANONYMOUS, :API_MEMBER using (
        is_public and %2$I <> all ((select array(select key::%3$s from app_hidden.unsettled where relation = %1$L::regclass and key <> ''))::%3$s[])
        or exists (select from %4$s as parent where parent.%5$I = %2$I offset 0)) $sql$,
      relation, key_column, v_key_type, v_parent, v_parent_key);
  end if;

  -- A small table is done at once. Of a large one, maintenance does the rest; until then, policies look the parents up.
  insert into app_hidden.unsettled (relation, key) values (relation, '') on conflict do nothing;
  perform app_private.settle_rows(1000), app_private.settle_rows(1000);
end $call$;
comment on function app_hidden.show_with_parent(regclass, name, name[]) is $$Makes the rows of a table visible to those who may see the row that a foreign key refers to, by a column is_public and the policy select_visible. The function app_hidden.is_public() of the other table says which of its rows everybody may see. copied names columns that have the values of the same columns there; for tables with few rows for each key. Idempotent. Call it again after rows were written without triggers. For DBAs.$$;

-- Security definer: the roles of the API may not read which tables there are.
create or replace function app_hidden.computed_columns(relation oid) returns text[]
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select array(select attname::text from pg_catalog.pg_attribute where attrelid = relation and attgenerated <> '')
      || coalesce((select 'is_public'::text || copied::text[] from app_private.shown_with_parent s where s.relation = computed_columns.relation), '{}')
$$;
comment on function app_hidden.computed_columns(oid) is $$The columns that nobody writes: generated ones, and those that show_with_parent() keeps.$$;
grant execute on function app_hidden.computed_columns(oid) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/rows/show_with_parent.sql

-- A client that does not know whether its call has arrived repeats it with the same idempotency key. The second call returns
-- the row of the first one and writes nothing.
create table app_private.idempotency_keys (
  user_id        bigint not null references app_public.users on delete cascade,
  key            text not null,
  arguments_hash bytea not null,
  result_id      bigint,
  created_at     timestamptz not null default now(),
  primary key (user_id, key)
);
comment on table app_private.idempotency_keys is $$The idempotency keys of the last day, with which users repeat a call without creating twice. maintain() deletes older ones.$$;
comment on column app_private.idempotency_keys.user_id is $$The user who sent the key.$$;
comment on column app_private.idempotency_keys.key is $$The key, which the client has chosen.$$;
comment on column app_private.idempotency_keys.arguments_hash is $$The SHA-256 of what is created, and of the arguments.$$;
comment on column app_private.idempotency_keys.result_id is $$The id of the row that the call has made. Null within the transaction that makes it.$$;
comment on column app_private.idempotency_keys.created_at is $$When the key was sent first.$$;
-- For maintain().
create index idempotency_keys_created_at_idx on app_private.idempotency_keys (created_at);

alter table app_private.idempotency_keys enable row level security;
-- Without apply_to(): a key is compared as it was sent.

--! Included functions/rows/idempotency.sql
-- Security definer: nobody reads or writes the keys but by these functions, and each user only their own.
--
-- A key is claimed before the row is made, in the same transaction. So another call with the key waits for the first one to end,
-- and then finds its row, or claims the key itself if the first one has failed.
create or replace function app_hidden.claim_key(idempotency_key text, arguments jsonb) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_hash bytea := sha256(convert_to(arguments::text, 'UTF8'));
  v_entry app_private.idempotency_keys;
begin
  if char_length(idempotency_key) not between 1 and 255 then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'idempotency_key',
      'message', 'An idempotency key needs between 1 and 255 characters.')
      || case idempotency_key when '' then '{"code": "TOO_SHORT", "params": {"min": 1}}'::jsonb
                                      else '{"code": "TOO_LONG", "params": {"max": 255}}' end));
  end if;
  loop
    insert into app_private.idempotency_keys as former (user_id, key, arguments_hash)
    values (app_hidden.viewer_id(), idempotency_key, v_hash)
    on conflict on constraint idempotency_keys_pkey do update
      set arguments_hash = excluded.arguments_hash, result_id = null, created_at = excluded.created_at
      where former.created_at < now() - interval '1 day';
    if found then
      return null;
    end if;
    select * into v_entry from app_private.idempotency_keys
     where user_id = app_hidden.viewer_id() and key = idempotency_key;
    -- maintain() may have just deleted it.
    exit when found;
  end loop;
  if v_entry.arguments_hash <> v_hash then
    perform conventions.raise_validation_errors(jsonb_build_array(jsonb_build_object('column', 'idempotency_key', 'code', 'REUSED',
      'message', 'This key was sent with other arguments. A key belongs to one call and its repetitions.')));
  end if;
  return v_entry.result_id;
end $$;
comment on function app_hidden.claim_key(text, jsonb) is $$The id of the row that the viewer's first call with this key has made within the last day; null for the first call. Waits for a first call that is under way. Refuses a key that was sent with other arguments.$$;
grant execute on function app_hidden.claim_key(text, jsonb) to :API_MEMBER;

-- Security invoker: a result that the viewer may not see any more is as missing as a deleted one.
create or replace function app_hidden.earlier_result(target anyelement, idempotency_key text, arguments jsonb) returns anyelement
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_id bigint := app_hidden.claim_key(idempotency_key, jsonb_build_array(pg_typeof(target)::text, jsonb_strip_nulls(arguments)));
begin
  if v_id is null then
    return null;
  end if;
  execute format('select * from %s where id = $1', pg_typeof(target)) into target using v_id;
  if target is null then
    perform app_hidden.refuse_missing('result');
  end if;
  return target;
end $$;
comment on function app_hidden.earlier_result(anyelement, text, jsonb) is $$The row that the viewer's first call with this idempotency key has made in the table of whose type the target is; null for the first call, which gives its own row to keep_result(). Refuses with NOT_FOUND when the row is deleted, and with VALIDATION_ERROR when the arguments are others.$$;
grant execute on function app_hidden.earlier_result(anyelement, text, jsonb) to :API_MEMBER;

create or replace function app_hidden.keep_result(idempotency_key text, id bigint) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update app_private.idempotency_keys set result_id = keep_result.id
   where user_id = app_hidden.viewer_id() and key = keep_result.idempotency_key
$$;
comment on function app_hidden.keep_result(text, bigint) is $$Keeps the id of the row that the first call with an idempotency key has made, for calls that repeat it.$$;
grant execute on function app_hidden.keep_result(text, bigint) to :API_MEMBER;
--! EndIncluded functions/rows/idempotency.sql

-- The audit trail, updated_at and subscriptions ignore columns that follow another row, too.
create or replace function conventions.derived_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$ select app_hidden.computed_columns(relation) $$;
create or replace function change_feed.ignored_columns(relation oid) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$ select app_hidden.computed_columns(relation) $$;
-- Banned and deleted users read no stream. Without a setting, so that PostgreSQL inlines it into a query over many viewers.
create or replace function change_feed.may_subscribe(viewer_id bigint) returns boolean
language sql stable
return exists (select from app_private.accounts where user_id = may_subscribe.viewer_id and banned_at is null);
