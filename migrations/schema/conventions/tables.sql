-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The declarations of conventions.apply_to(), validate() and audit() for each table.
create table conventions.tables (
  relation        regclass not null, -- The table.
  is_validated    boolean not null default false, -- Whether the table has a validator.
  lines           text[] not null default '{}'::text[], -- The columns that hold a single line of text, which is trimmed and has no control characters.
  is_touched      boolean not null default false, -- Whether the validator sets updated_at.
  key_columns     name[], -- The primary key, for the audit trail; null where changes are not recorded.
  omitted_columns name[] not null default '{}'::name[], -- The columns whose values the audit trail omits; * for all.
  search_form     integer, -- The number of what a search finds of the rows, which grows with conventions.searchable(); null where there is no search.
  constraint tables_pkey primary key (relation)
);

-- Row-level security
alter table conventions.tables enable row level security;
create policy select_all on conventions.tables for select to api_anonymous, api_member
  using (true);

-- Rights, beside the owner's
grant select (relation, lines) on conventions.tables to api_anonymous;
grant select (relation, lines) on conventions.tables to api_member;
