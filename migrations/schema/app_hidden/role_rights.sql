-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- What each role may do.
create table app_hidden.role_rights (
  id   bigint not null generated always as identity, -- Identifies the row, in the audit trail.
  role text not null, -- A value of app_public.user_role.
  may  app_public.user_right not null, -- The right.
  constraint role_rights_pkey primary key (id),
  constraint role_rights_role_may_key unique (role, may) -- The role has this right already.
);

-- Triggers, before and after, in the order in which they run
-- Before a right is given: refuses a role that is no value of user_role.
create trigger _100_check before insert or update on app_hidden.role_rights for each row execute function app_hidden.tg_role_rights__check();
-- Before a row of app_hidden.role_rights is written: brings its texts into Unicode normal form C, and raises all its validation errors at once.
create trigger _200_validate before insert or update of role on app_hidden.role_rights for each row execute function conventions.validate_app_hidden_role_rights();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_truncate before truncate on app_hidden.role_rights for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After rights are taken: refuses it if nobody could grant roles any more.
create trigger _500_keep_granter_delete after delete on app_hidden.role_rights referencing old table as old_rows for each statement execute function app_hidden.tg_role_rights__keep_granter();
-- After rights are taken: refuses it if nobody could grant roles any more.
create trigger _500_keep_granter_update after update on app_hidden.role_rights referencing old table as old_rows for each statement execute function app_hidden.tg_role_rights__keep_granter();
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_delete after delete on app_hidden.role_rights referencing old table as old_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_insert after insert on app_hidden.role_rights referencing new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');
-- After a statement: records its changes in the audit trail, and in the counters of the table.
create trigger _900_record_update after update on app_hidden.role_rights referencing old table as old_rows new table as new_rows for each statement execute function conventions.tg__record_changes('{id}', '{}', '{}', '{}', '{}', '{}');

-- Row-level security
alter table app_hidden.role_rights enable row level security;
create policy select_all on app_hidden.role_rights for select to api_anonymous, api_member
  using (true);

-- Rights, beside the owner's
grant select on app_hidden.role_rights to api_anonymous;
grant select on app_hidden.role_rights to api_member;
