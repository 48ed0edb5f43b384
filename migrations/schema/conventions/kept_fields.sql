-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The declarations of conventions.keep_fields(): tables that keep the fields of rows of another one.
create table conventions.kept_fields (
  relation      regclass not null, -- The table that keeps them.
  of_table      regclass not null, -- The table whose fields they are.
  input         regtype not null, -- The input type that has them.
  shows_present boolean not null, -- Whether a field that a row lacks is that of the present row.
  keeper        text, -- The trigger function that keeps a row when one of the fields changes.
  constraint kept_fields_pkey primary key (relation)
);

-- Row-level security
alter table conventions.kept_fields enable row level security;
