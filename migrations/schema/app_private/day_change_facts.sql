-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- The kept facts of the audit trail by day.
create table app_private.day_change_facts (
  day        date not null, -- The kept value of day.
  table_name text not null, -- The kept value of table name.
  action     text not null, -- The kept value of action.
  actor_kind text not null, -- The kept value of actor kind.
  changes    bigint not null, -- The kept value of changes.
  constraint day_change_facts_pkey primary key (day, table_name, action, actor_kind)
);
