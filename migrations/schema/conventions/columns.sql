-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- What is said of a column beyond its type: conventions.derived(), not_kept() and searchable().
create table conventions.columns (
  relation    regclass not null, -- The table.
  name        name not null, -- The column.
  is_derived  boolean not null default false, -- Whether the database computes it.
  is_kept     boolean not null default true, -- Whether revisions and working copies have its values.
  searched_as text, -- As what the search finds it: headline, text, or not at all.
  number      integer not null generated always as identity, -- The order of the declarations.
  constraint columns_pkey primary key (relation, name),
  constraint columns_searched_as_check check ((searched_as = any (array['headline'::text, 'text'::text]))) -- A column is searched as its row’s headline or as text.
);

-- Row-level security
alter table conventions.columns enable row level security;
