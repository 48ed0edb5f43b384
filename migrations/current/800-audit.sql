-- The audit trail: who changed which row, when and to what. Triggers write it, so that what psql does is there too. Only
-- the owner could change what it says, and only admins read it.
drop table if exists app_public.audit_trail cascade;
drop type if exists app_public.audit_action;

create type app_public.audit_action as enum ('INSERT', 'UPDATE', 'DELETE');
comment on type app_public.audit_action is $$@describe INSERT The row came to be.
@describe UPDATE The row changed.
@describe DELETE The row is gone.
What was done to a row.$$;

create table app_public.audit_trail (
  id         bigint generated always as identity,
  changed_at timestamptz not null default statement_timestamp(),
  -- No foreign key: what somebody did outlives them.
  actor_id   bigint default app_hidden.viewer_id(),
  actor_role text not null default session_user,
  action     app_public.audit_action not null,
  table_name text not null,
  row_key     text not null,
  changes    jsonb not null,
  primary key (changed_at, id)
) partition by range (changed_at);
comment on table app_public.audit_trail is E'@name audit_entry\n@listName auditTrail\n@listOrder changed_at desc, id desc\n@behavior -query:resource:single\n@foreignKey (actor_id) references app_public.users (id)|@backwardBehavior -*\nWho changed which row, when and to what. Admins see it, newest first; for others it is empty.';
comment on column app_public.audit_trail.id is $$Identifies the entry.$$;
comment on column app_public.audit_trail.changed_at is $$When it was done.$$;
comment on column app_public.audit_trail.actor_id is E'@listFilter\nThe user who did it through the API; null for one who was not signed in, and for work on the database itself. The user may be gone since.';
comment on column app_public.audit_trail.actor_role is $$The database login that did it: the service’s own, or a person’s.$$;
comment on column app_public.audit_trail.action is E'@listFilter\nWhat was done to the row.';
comment on column app_public.audit_trail.table_name is E'@listFilter\nThe table, without its schema where that is app_public.';
comment on column app_public.audit_trail.row_key is E'@listFilter\nThe row’s primary key, its id as a rule; where several columns identify it, their values with commas between.';
comment on column app_public.audit_trail.changes is $$Each column that changed, with its value before as `old` and after as `new`.$$;
-- Carries a row's own history.
create index audit_trail_table_name_row_key_idx on app_public.audit_trail (table_name, row_key, changed_at desc, id desc);
-- Carries what one person did.
create index audit_trail_actor_id_idx on app_public.audit_trail (actor_id, changed_at desc, id desc);

alter table app_public.audit_trail enable row level security;
create policy select_as_admin on app_public.audit_trail for select to :API_MEMBER
  using ((select app_hidden.viewer_is_admin()));
grant select on app_public.audit_trail to :API_MEMBER;
-- No writes: an entry comes to be through tg__record_changes().

-- A month has a partition of its own, out of the API's reach: rows are read through the table above. What falls outside of
-- all months still has a place.
create table app_private.audit_trail_default partition of app_public.audit_trail default;
alter table app_private.audit_trail_default enable row level security;

--!include functions/prepare_audit_partitions.sql
--!include functions/retire_audit_partitions.sql
--!include functions/row_key.sql
--!include functions/row_changes.sql
--!include functions/tg__record_changes.sql
--!include functions/record_changes_of.sql
select app_private.prepare_audit_partitions();

select app_private.record_changes_of('app_public.users');
select app_private.record_changes_of('app_public.posts');
select app_private.record_changes_of('app_public.comments');
select app_private.record_changes_of('app_public.chat_members');

--!include analytics/changes.sql
