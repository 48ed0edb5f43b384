--! Previous: sha1:8b52bedef0cf5633812a287ca43be8862f910e05
--! Hash: sha1:70148dc7a861ef359def73739819652eaf179d24
--! Message: policies of comments and tags read a column of the row

--! split: 200-policies-read-local-columns.sql
-- Policies of comments, the tags of posts, and tags read a column of the row, and look another row up only if that column says so.
--
-- Locks, until the end of the migration: comments, post_tags and tags against reads and writes, posts and the other tables that
-- analysts' facts depend on against writes. That is as long as it takes to change the catalogue, to build the index of post_tags,
-- and to fill a thousand or two rows of comments and post_tags. Nothing is rewritten. Maintenance fills the rest in batches. Until then the
-- policies look the other rows up, as they did before.

create table if not exists app_private.shown_with_parent (
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
comment on column app_private.shown_with_parent.copied is $$Columns that have the values of the parent's columns of the same names.$$;
alter table app_private.shown_with_parent enable row level security;

create table if not exists app_hidden.unsettled (
  relation    regclass not null,
  key         text not null,
  next_block  bigint not null default 0,
  has_changes boolean not null default false,
  primary key (relation, key)
);
comment on table app_hidden.unsettled is $$The keys whose rows in a table may have a wrong is_public, so that policies look the parent up; an empty key if rows of any key may have is_public false by mistake.$$;
alter table app_hidden.unsettled enable row level security;
drop policy if exists select_all on app_hidden.unsettled;
create policy select_all on app_hidden.unsettled for select to :API_ANONYMOUS, :API_MEMBER using (true);
grant select on app_hidden.unsettled to :API_ANONYMOUS, :API_MEMBER;

create or replace function app_hidden.is_public(posts app_public.posts) returns boolean
language sql immutable
return posts.status = 'PUBLISHED';
comment on function app_hidden.is_public(app_public.posts) is $$Whether everybody may see the post.$$;
grant execute on function app_hidden.is_public(app_public.posts) to :API_MEMBER;

--! Included functions/settle_rows.sql
create or replace function app_private.wrong_rows_of(relation regclass) returns text
language sql stable set search_path = '' as $$
  select format('%s as child join %s as parent on parent.%I = child.%I
           where (child.is_public is distinct from (app_hidden.is_public(parent) is true)%s)',
           s.relation, parent, parent_key, key_column,
           (select string_agg(format(' or parent.%1$I is distinct from child.%1$I', name), '') from unnest(copied) as name))
    from app_private.shown_with_parent s where s.relation = wrong_rows_of.relation
$$;
comment on function app_private.wrong_rows_of(regclass) is $$The part of a statement that finds the rows whose columns of show_with_parent() are not those of their parent.$$;

create or replace function app_private.settle_rows(batch int) returns int
language plpgsql volatile set search_path = '' as $$
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
language plpgsql stable set search_path = '' as $$
declare
  v_source app_private.shown_with_parent;
begin
  for v_source in select * from app_private.shown_with_parent loop
    return query execute format($sql$
      select %1$L::regclass, app_hidden.row_key(to_jsonb(child), %2$L), child.is_public from %3$s
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
--! EndIncluded functions/settle_rows.sql
--! Included functions/show_with_parent.sql
-- Rows that are visible when another row is, such as the comments of a post. Their column is_public says that everybody may see
-- the other row, their parent. So policies look the parent up for the other rows only.
--
-- A transaction that adds a row reads the parent, and one that changes the parent changes its rows. Neither may miss the other:
-- - A new row locks the parent and then reads it. So it waits while another transaction changes the parent's visibility.
-- - That transaction locks the parent against new rows, unless there are some that are not committed yet. Then it does not wait. It
--   puts the parent on the list app_hidden.unsettled, as it does with a parent that has many rows, and in an isolation level
--   that does not see the newest rows.
-- - Policies look up a parent that is on the list, whatever is_public says. settle_rows() corrects its rows in batches.
create or replace function app_hidden.show_with_parent(relation regclass, key_column name, copied name[] default '{}') returns void
language plpgsql volatile set search_path = '' as $call$
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
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      perform from %2$s as parent where parent.%3$I = new.%4$I for %5$s;
      -- A statement of its own sees what was committed before it got the lock.
      select app_hidden.is_public(parent) is true%6$s into new.is_public%7$s from %2$s as parent where parent.%3$I = new.%4$I;
      new.is_public := coalesce(new.is_public, false);
      if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
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
    language plpgsql volatile security definer set search_path = '' as $$
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

  if not exists (select from pg_catalog.pg_policy where polrelid = relation and polname = 'select_visible') then
    execute format('create policy select_visible on %s for select to :API_ANONYMOUS, :API_MEMBER using (false)', relation);
  end if;
  execute format($sql$
    alter policy select_visible on %1$s using (
      is_public and %2$I <> all ((select array(select key::%3$s from app_hidden.unsettled where relation = %1$L::regclass and key <> ''))::%3$s[])
      or exists (select from %4$s as parent where parent.%5$I = %2$I offset 0)) $sql$,
    relation, key_column, v_key_type, v_parent, v_parent_key);

  -- A small table is done at once. Of a large one, maintenance does the rest; until then, policies look the parents up.
  insert into app_hidden.unsettled (relation, key) values (relation, '') on conflict do nothing;
  perform app_private.settle_rows(1000), app_private.settle_rows(1000);
end $call$;
comment on function app_hidden.show_with_parent(regclass, name, name[]) is $$Makes the rows of a table visible to those who may see the row that a foreign key refers to, by a column is_public and the policy select_visible. The function app_hidden.is_public() of the other table says which of its rows everybody may see. copied names columns that have the values of the same columns there; for tables with few rows for each key. Idempotent. Call it again after rows were written without triggers. For DBAs.$$;

-- Security definer: the roles of the API may not read which tables there are.
create or replace function app_hidden.computed_columns(relation oid) returns text[]
language sql stable security definer set search_path = '' as $$
  select array(select attname::text from pg_catalog.pg_attribute where attrelid = relation and attgenerated <> '')
      || coalesce((select 'is_public'::text || copied::text[] from app_private.shown_with_parent s where s.relation = computed_columns.relation), '{}')
$$;
comment on function app_hidden.computed_columns(oid) is $$The columns that nobody writes: generated ones, and those that show_with_parent() keeps.$$;
grant execute on function app_hidden.computed_columns(oid) to :API_ANONYMOUS, :API_MEMBER;
--! EndIncluded functions/show_with_parent.sql
--! Included functions/protect.sql
create or replace function app_hidden.tg__touch() returns trigger
language plpgsql set search_path = '' as $$
declare
  -- In a before trigger, generated columns of the new row are still null.
  v_ignored text[] := app_hidden.computed_columns(tg_relid) || 'updated_at'::text;
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
--! Included functions/tg__record_changes.sql
-- Security definer: no role may write the audit trail directly.
--
-- Partitions are made ahead by maintain(). A month without one goes to the default partition, so no change waits for a partition
-- or fails without one.
--
-- One insert records all rows of a statement. The trigger's arguments are the key columns, which match the old version of a
-- row with the new one. Columns that nobody writes are left out.
create or replace function app_hidden.tg__record_changes() returns trigger
language plpgsql volatile security definer set search_path = '' set timezone = 'UTC' as $$
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
--! EndIncluded functions/tg__record_changes.sql
--! Included functions/tg__stream.sql
-- Security definer: no role may write events, and only the owner and the service may know the channel.
--
-- Statement-level, so that a statement with many rows costs as many statements as one. The arguments are the key column, the
-- primary key and, for rows that have numbers of their own, the number column.
create or replace function app_hidden.tg__stream() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  v_computed text[] := app_hidden.computed_columns(tg_relid);
begin
  case
    when tg_argv[2] is not null then
      perform app_private.notify_streams(format('%s:%s:%s', s.id, added.row ->> tg_argv[0], min((added.row ->> tg_argv[2])::bigint)))
         from (select to_jsonb(new_rows) as row from new_rows) as added
         join app_private.streams s on s.relation = tg_relid and s.key_column = tg_argv[0]
        group by s.id, added.row ->> tg_argv[0];
    when tg_op = 'INSERT' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('added'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(new_rows) as row from new_rows) as added;
    when tg_op = 'DELETE' then
      perform app_private.record_stream_events(tg_relid, tg_argv[0],
                array_agg('deleted'::text), array_agg(row ->> tg_argv[0]), array_agg(row ->> tg_argv[1]))
         from (select to_jsonb(old_rows) as row from old_rows) as removed;
    else
      -- A row that gets another key is deleted from the one and added to the other.
      perform app_private.record_stream_events(tg_relid, tg_argv[0], array_agg(kind), array_agg(key), array_agg(row_id))
         from (select to_jsonb(old_rows) ->> tg_argv[1] as row_id, to_jsonb(old_rows) ->> tg_argv[0] as old_key, to_jsonb(old_rows) as before
                 from old_rows) as old_versions
         full join (select to_jsonb(new_rows) ->> tg_argv[1] as row_id, to_jsonb(new_rows) ->> tg_argv[0] as new_key, to_jsonb(new_rows) as after
                      from new_rows) as new_versions using (row_id)
        cross join lateral (
              select 'updated' as kind, new_key as key where new_key = old_key
              union all select 'deleted', old_key where new_key is distinct from old_key
              union all select 'added', new_key where new_key is distinct from old_key) as change
        -- Nobody has written a row of which only such columns differ.
        where before = after or before - v_computed is distinct from after - v_computed;
  end case;
  return null;
end $$;
comment on function app_hidden.tg__stream() is $$After a statement: records its changes in the streams of the table, and notifies the services. stream() attaches it to a table.$$;
--! EndIncluded functions/tg__stream.sql
--! Included functions/mark_stale_facts.sql
-- Triggers that mark stale facts (analytics/facts.sql). Security definer: members may not write the marks. A change of a row of
-- today marks no day, because today is never kept. An update counts only if it changes a column that facts depend on.
create or replace function app_hidden.mark_stale_days(days date[], reach int default 0) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.stale_days (day, until)
  select distinct day, day + reach from unnest(days) as day where day < (clock_timestamp() at time zone 'UTC')::date
$$;
comment on function app_hidden.mark_stale_days(date[], int) is $$Marks the facts of these days, and of so many days after each, as stale. Days that are not over are left out.$$;

create or replace function app_hidden.mark_stale_posts(ids bigint[]) returns void
language sql volatile set search_path = '' as $$
  insert into app_private.stale_posts (post_id) select distinct id from unnest(ids) as id
$$;
comment on function app_hidden.mark_stale_posts(bigint[]) is $$Marks the facts of these posts as stale.$$;

-- The author's next post after the day may become the first one, or no longer be it.
create or replace function app_hidden.mark_stale_publications(author_ids bigint[], days date[]) returns void
language sql volatile set search_path = '' as $$
  select app_hidden.mark_stale_days(days || array(
    select (select min((first_published_at at time zone 'UTC')::date) from app_public.posts
             where posts.author_id = gone.author_id and status = 'PUBLISHED'
               and (first_published_at at time zone 'UTC')::date > gone.day)
      from (select distinct author_id, day from unnest(author_ids, days) as published (author_id, day)) as gone
     where gone.day is not null))
$$;
comment on function app_hidden.mark_stale_publications(bigint[], date[]) is $$Marks the facts of the days on which these authors published, and of the days of their next publication.$$;

create or replace function app_hidden.tg_posts__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_created date[];
  v_authors bigint[];
  v_published date[];
  v_comments date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- The usual insert is of today, which is never kept.
    select array_agg(created) filter (where created < v_today), array_agg(author_id) filter (where published < v_today),
           array_agg(published) filter (where published < v_today), array_agg(id) filter (where published < v_today)
      into v_created, v_authors, v_published, v_ids
      from (select id, author_id, (created_at at time zone 'UTC')::date as created,
                   case when status = 'PUBLISHED' then (first_published_at at time zone 'UTC')::date end as published
              from new_rows) as added;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids from old_rows;
  else
    with differing as (
      (select id, author_id, status, created_at, first_published_at from old_rows
        except select id, author_id, status, created_at, first_published_at from new_rows)
       union all
      (select id, author_id, status, created_at, first_published_at from new_rows
        except select id, author_id, status, created_at, first_published_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date) filter (where is_moved), array_agg(author_id) filter (where status = 'PUBLISHED'),
           array_agg((first_published_at at time zone 'UTC')::date) filter (where status = 'PUBLISHED'), array_agg(id)
      into v_created, v_authors, v_published, v_ids
      from (select *, min(created_at) over same <> max(created_at) over same or min(author_id) over same <> max(author_id) over same as is_moved
              from differing window same as (partition by id)) as rows;
    -- A tag counts the comments of published posts.
    v_comments := array(select distinct (created_at at time zone 'UTC')::date from app_public.comments where post_id = any (v_ids));
    v_ids := v_ids || array(
      select id from old_rows join new_rows using (id)
       where (old_rows.title, old_rows.slug) is distinct from (new_rows.title, new_rows.slug));
  end if;
  if v_created is not null then
    perform app_hidden.mark_stale_days(v_created, 27);
  end if;
  if v_published is not null then
    perform app_hidden.mark_stale_publications(v_authors, v_published);
  end if;
  if v_ids <> '{}' then
    perform app_hidden.mark_stale_days(v_comments), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_posts__mark_stale_facts() is $$After posts change: marks the facts that depend on them as stale.$$;

-- Planning for the number of posts would take longer than looking them up by index.
create or replace function app_hidden.tg_post_tags__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    v_ids := array(select distinct post_id from new_rows);
  elsif tg_op = 'DELETE' then
    v_ids := array(select distinct post_id from old_rows);
  else
    v_ids := array(
      (select post_id from (select post_id, tag_id from old_rows except select post_id, tag_id from new_rows) as removed)
       union
      (select post_id from (select post_id, tag_id from new_rows except select post_id, tag_id from old_rows) as added));
  end if;
  if cardinality(v_ids) = 0 then
    return null;
  end if;
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select (first_published_at at time zone 'UTC')::date from app_public.posts where id = any (v_ids) and status = 'PUBLISHED'
     union
    select (comments.created_at at time zone 'UTC')::date
      from app_public.posts join app_public.comments on comments.post_id = posts.id
     where posts.id = any (v_ids) and status = 'PUBLISHED'));
  perform app_hidden.mark_stale_posts(array(
    select id from app_public.posts
     where id = any (v_ids) and (first_published_at at time zone 'UTC')::date < (clock_timestamp() at time zone 'UTC')::date));
  return null;
end $$;
comment on function app_hidden.tg_post_tags__mark_stale_facts() is $$After the tags of posts change: marks the facts that depend on them as stale.$$;

create or replace function app_hidden.tg_comments__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_days date[];
  v_ids bigint[];
begin
  if tg_op = 'INSERT' then
    -- A new comment of today makes its post stale by itself: see stale_post_ids().
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids
      from new_rows where (created_at at time zone 'UTC')::date < v_today;
  elsif tg_op = 'DELETE' then
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from old_rows;
  else
    with differing as (
      (select id, post_id, author_id, created_at from old_rows except select id, post_id, author_id, created_at from new_rows)
       union all
      (select id, post_id, author_id, created_at from new_rows except select id, post_id, author_id, created_at from old_rows)
    )
    select array_agg((created_at at time zone 'UTC')::date), array_agg(post_id) into v_days, v_ids from differing;
  end if;
  if v_ids is not null then
    perform app_hidden.mark_stale_days(v_days, 27), app_hidden.mark_stale_posts(v_ids);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_comments__mark_stale_facts() is $$After comments change: marks the facts that depend on them as stale.$$;

-- The trigger's arguments are the columns that facts depend on; the first is the row's time, or its day.
create or replace function app_hidden.tg__mark_stale_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_today timestamptz := date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
  v_columns text := array_to_string(tg_argv, ', ');
  v_changed text;
begin
  -- The usual insert is of today, and ends here without a dynamic statement.
  if tg_op = 'INSERT' and tg_argv[0] = 'created_at' then
    if not exists (select from new_rows where created_at < v_today) then
      return null;
    end if;
  end if;
  v_changed := case tg_op
    when 'INSERT' then 'select * from new_rows'
    when 'DELETE' then 'select * from old_rows'
    else format('(select %1$s from old_rows except all select %1$s from new_rows) union all (select %1$s from new_rows except all select %1$s from old_rows)', v_columns)
  end;
  execute format('select app_hidden.mark_stale_days(array_agg(%s)) from (%s) as changed',
    case tg_argv[0] when 'day' then 'day' else format('(%I at time zone ''UTC'')::date', tg_argv[0]) end, v_changed);
  return null;
end $$;
comment on function app_hidden.tg__mark_stale_facts() is $$After rows change: marks the facts of their days as stale.$$;

-- An update of the time of sign-up moves a user to another cohort, in each month in which the user wrote.
create or replace function app_hidden.tg_users__mark_stale_cohorts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_ids bigint[] := array(
    select id from old_rows join new_rows using (id) where old_rows.created_at is distinct from new_rows.created_at);
begin
  if v_ids = '{}' then
    return null;
  end if;
  perform app_hidden.mark_stale_days(array(
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.posts where author_id = any (v_ids)
     union
    select date_trunc('month', created_at at time zone 'UTC')::date from app_public.comments where author_id = any (v_ids)));
  return null;
end $$;
comment on function app_hidden.tg_users__mark_stale_cohorts() is $$After users change: marks the months in which they wrote as stale if their time of sign-up is another one.$$;

-- Only removals that somebody chose count: a user who is deleted takes the follows along.
create or replace function app_hidden.tg_follows__record_unfollows() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into app_private.unfollows (author_id)
  select followed_id from old_rows
   where exists (select from app_public.users where id = follower_id) and exists (select from app_public.users where id = followed_id);
  return null;
end $$;
comment on function app_hidden.tg_follows__record_unfollows() is $$After follows are removed: records the day and the author, not the follower.$$;

create or replace function app_private.forget_facts() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from app_private.day_facts;
  delete from app_private.day_tag_facts;
  delete from app_private.day_change_facts;
  delete from app_private.month_facts;
  delete from app_private.month_cohort_facts;
  delete from app_private.post_facts;
  delete from app_private.stale_days;
  delete from app_private.stale_months;
  delete from app_private.stale_posts;
  update app_private.facts_state set kept_through = null, horizon_day = null, horizon = null;
end $$;
comment on function app_private.forget_facts() is $$Forgets all kept facts of the analysts’ views; the service’s maintenance computes them again. For DBAs, and after a truncate.$$;

create or replace function app_hidden.tg__forget_facts() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform app_private.forget_facts();
  return null;
end $$;
comment on function app_hidden.tg__forget_facts() is $$After a table is truncated: forgets all kept facts.$$;

do $do$
declare
  v_table regclass;
  v_function text;
  v_arguments text;
begin
  for v_table, v_function, v_arguments in values
    ('app_public.posts'::regclass, 'tg_posts__mark_stale_facts', ''),
    ('app_public.post_tags', 'tg_post_tags__mark_stale_facts', ''),
    ('app_public.comments', 'tg_comments__mark_stale_facts', ''),
    ('app_public.users', 'tg__mark_stale_facts', $$'created_at'$$),
    ('app_public.follows', 'tg__mark_stale_facts', $$'created_at'$$),
    ('app_public.messages', 'tg__mark_stale_facts', $$'created_at', 'sender_id', 'chat_id'$$),
    ('app_private.unfollows', 'tg__mark_stale_facts', $$'day'$$),
    ('app_public.audit_trail', 'tg__mark_stale_facts', $$'changed_at', 'actor_id', 'actor_role', 'action', 'table_name'$$)
  loop
    execute format('create or replace trigger _700_mark_stale_facts_added after insert on %s referencing new table as new_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_mark_stale_facts_updated after update on %s referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_mark_stale_facts_removed after delete on %s referencing old table as old_rows for each statement execute function app_hidden.%s(%s)', v_table, v_function, v_arguments);
    execute format('create or replace trigger _700_forget_facts after truncate on %s for each statement execute function app_hidden.tg__forget_facts()', v_table);
  end loop;
  -- New rows of these are always of today.
  drop trigger _700_mark_stale_facts_added on app_public.audit_trail;
  drop trigger _700_mark_stale_facts_added on app_private.unfollows;
end $do$;
create or replace trigger _700_mark_stale_cohorts after update on app_public.users
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_users__mark_stale_cohorts();
create or replace trigger _700_record_unfollows after delete on app_public.follows
  referencing old table as old_rows for each statement execute function app_hidden.tg_follows__record_unfollows();
--! EndIncluded functions/mark_stale_facts.sql

alter table app_public.tags add column if not exists is_public boolean not null default false;
comment on column app_public.tags.is_public is E'@behavior -*\nWhether a published post has the tag, as far as known: if false, policies look.';
alter table app_public.post_tags add column if not exists listed_at timestamptz;
comment on column app_public.post_tags.listed_at is $$The post’s place in lists.$$;

--! Included functions/show_tags.sql
-- A tag is visible when one of its posts is. `is_public` is true only if one of them is published. If it is false, the policy looks.
--
-- Security definer: nobody may write tags.
create or replace function app_hidden.tg_post_tags__show_tags() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  if tg_op = 'TRUNCATE' then
    update app_public.tags set is_public = false where is_public;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    -- Two transactions that take a tag from its last two posts take turns, and the second one sees what the first has done. In an
    -- isolation level in which it does not, the tag is looked up from now on.
    perform from app_public.tags
      where is_public and id in (select tag_id from old_rows where old_rows.is_public)
      order by id for no key update;
    update app_public.tags set is_public = false
     where is_public and id in (select tag_id from old_rows where old_rows.is_public)
       and (current_setting('transaction_isolation') not in ('read committed', 'read uncommitted')
         or not exists (select from app_public.post_tags where tag_id = tags.id and post_tags.is_public));
  end if;
  if tg_op <> 'DELETE' then
    update app_public.tags set is_public = true
     where id in (
       select id from app_public.tags
        where not tags.is_public and id in (select tag_id from new_rows where new_rows.is_public)
        for no key update skip locked);
  end if;
  return null;
end $$;
comment on function app_hidden.tg_post_tags__show_tags() is $$After the tags of posts change: sets is_public of the tags.$$;
--! EndIncluded functions/show_tags.sql
create or replace trigger _650_show_tags_added after insert on app_public.post_tags
  referencing new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_updated after update on app_public.post_tags
  referencing old table as old_rows new table as new_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_removed after delete on app_public.post_tags
  referencing old table as old_rows for each statement execute function app_hidden.tg_post_tags__show_tags();
create or replace trigger _650_show_tags_truncated after truncate on app_public.post_tags
  for each statement execute function app_hidden.tg_post_tags__show_tags();

select app_hidden.show_with_parent('app_public.comments', 'post_id');
select app_hidden.show_with_parent('app_public.post_tags', 'post_id', '{listed_at}');
alter policy select_visible on app_public.tags
  using (is_public or exists (select from app_public.post_tags where post_tags.tag_id = tags.id offset 0));

-- Carries Tag.posts, in its order, and the foreign key to tags.
create index if not exists post_tags_tag_id_is_public_listed_at_post_id_idx
  on app_public.post_tags (tag_id, is_public, listed_at desc, post_id desc);
drop index if exists app_public.post_tags_tag_id_post_id_idx;

--! Included functions/maintain.sql
-- Security definer: the service's login may have all this done, and can choose nothing that is kept: what is deleted is over, or
-- older than a retention that has a minimum.
--
-- Each call is a batch. Rows that others have locked are left for the next call, so nothing here waits.
create or replace function app_private.maintain(
  batch int default 1000, audit_retention_days int default 365, out is_complete boolean, out done jsonb
)
language plpgsql volatile security definer set search_path = '' as $$
declare
  v_batch int := least(greatest(batch, 1), 10000);
  v_position bigint;
  v_tags bigint[];
  v_count int;
begin
  if audit_retention_days < 90 then
    raise exception using errcode = '22023', message = 'The audit trail must keep at least 90 days';
  end if;
  -- The lock on the row lets one instance work at a time. The others have nothing to do.
  select last_tag_id into v_position from app_private.maintenance for update skip locked;
  is_complete := true;
  done := '{}';
  if not found then
    return;
  end if;

  -- The last token of a session ends it. The margin keeps clear of refreshes that are under way.
  with expired as (
    delete from app_private.refresh_tokens where token_hash in (
      select token_hash from app_private.refresh_tokens where expires_at < now() - interval '1 day'
       order by expires_at limit v_batch for update skip locked)
    returning session_id
  ), ended as (
    delete from app_private.sessions where id in (select session_id from expired)
       and not exists (select from app_private.refresh_tokens where session_id = sessions.id and expires_at >= now() - interval '1 day')
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('refresh_tokens', v_count);

  -- First the tokens, then the session: a cascade would have no bound.
  delete from app_private.refresh_tokens where token_hash in (
    select token_hash
      from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
      join app_private.refresh_tokens on session_id = id
     limit v_batch for update of refresh_tokens skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('revoked_tokens', v_count);
  delete from app_private.sessions where id in (
    select id from (select id from app_private.sessions where revoked_at < now() - interval '1 day' order by revoked_at limit v_batch) as ended
     where not exists (select from app_private.refresh_tokens where session_id = id));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sessions', v_count);

  delete from app_private.session_requests where ctid = any (array(
    select ctid from app_private.session_requests where created_at < now() - interval '1 hour'
     order by created_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('session_requests', v_count);

  delete from app_private.failed_sign_ins where id in (
    select id from app_private.failed_sign_ins where failed_at < now() - interval '1 day'
     order by failed_at limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('failed_sign_ins', v_count);

  delete from app_private.sign_in_networks where ctid = any (array(
    select ctid from app_private.sign_in_networks where signed_in_at < now() - interval '90 days'
     order by signed_in_at limit v_batch for update skip locked));
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('sign_in_networks', v_count);

  delete from app_private.rate_limited_calls where key in (
    select key from app_private.rate_limited_calls
     where expire < extract(epoch from now()) * 1000
     order by expire limit v_batch for update skip locked);
  get diagnostics v_count = row_count;
  done := done || jsonb_build_object('rate_limited_calls', v_count);

  -- The newest expired event of a key stays, out of reach of the next call: a client that has it can continue from it.
  with expired as (
    select event.*
      from app_private.streams s
     cross join lateral (
           select stream_id, key, number from app_private.stream_events
            where stream_id = s.id and created_at < now() - s.keep
            order by created_at, number limit v_batch for update skip locked) as event
  ), newest as (
    select stream_id, key, max(number) as number from expired group by stream_id, key
  ), kept as (
    update app_private.stream_events e set created_at = 'infinity'
      from newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number = newest.number
  ), deleted as (
    delete from app_private.stream_events e
     using newest where e.stream_id = newest.stream_id and e.key = newest.key and e.number < newest.number
  )
  select count(*) into v_count from expired;
  done := done || jsonb_build_object('stream_events', v_count);

  -- No index finds the tags without posts, so each call looks at the next tags by id. The delete asks again,
  -- because a post may have received a tag just before it was locked.
  select array_agg(id) into v_tags from (
    select id from app_public.tags where id > v_position order by id limit v_batch) as next;
  v_position := case when cardinality(v_tags) = v_batch then v_tags[v_batch] else 0 end;
  update app_public.tags set is_public = true where id in (
    select id from app_public.tags where id = any (v_tags) and not is_public
       and exists (select from app_public.post_tags where tag_id = tags.id and post_tags.is_public) for no key update skip locked);
  v_tags := array(
    select id from app_public.tags where id = any (v_tags)
       and not exists (select from app_public.post_tags where tag_id = tags.id) for update skip locked);
  delete from app_public.tags where id = any (v_tags)
     and not exists (select from app_public.post_tags where tag_id = tags.id);
  get diagnostics v_count = row_count;
  update app_private.maintenance set last_tag_id = v_position, ran_at = now();

  is_complete := v_position = 0
    and not exists (select from jsonb_each_text(done) where value::int >= v_batch);
  done := done || jsonb_build_object('tags', v_count);

  begin
    done := done || jsonb_build_object('created_partitions', app_private.prepare_audit_partitions(),
      'dropped_partitions', app_private.retire_audit_partitions(make_interval(days => audit_retention_days), v_batch));
  exception when lock_not_available then
    -- Somebody reads the audit trail.
    done := done || '{"postponed_partitions": 1}';
  end;
  if is_complete then
    perform app_private.merge_counts();
  end if;
  -- The last step, because others wait for the locks.
  v_count := app_private.settle_rows(v_batch);
  done := done || jsonb_build_object('settled_rows', v_count);
  is_complete := is_complete and v_count < v_batch and not exists (select from app_hidden.unsettled where key = '');
  select coalesce(jsonb_object_agg(key, value), '{}') into done from jsonb_each(done) where value <> '0';
end $$;
comment on function app_private.maintain(int, int) is $$Deletes what is over, up to batch rows of each kind: refresh tokens, sessions, failed sign-ins, networks, rate-limited calls, events of streams and unused tags. Corrects rows whose visibility changed. Creates the next partitions of the audit trail and drops those beyond its retention. Returns what it did, and whether nothing is left to do now. The service calls it at its start and regularly.$$;
grant execute on function app_private.maintain(int, int) to :API_LOGIN;
--! EndIncluded functions/maintain.sql
