-- Made by npm run db:snapshot from the catalogue. A change is a migration.
-- The declarations of conventions.count_rows(): the rows of a table, counted for each value of a column or of two.
create table conventions.counters (
  name     text not null, -- The table and the columns: posts.author_id,status.
  relation regclass not null, -- The table.
  columns  name[] not null, -- The columns.
  constraint counters_pkey primary key (name),
  constraint counters_columns_check check (((cardinality(columns) >= 1) and (cardinality(columns) <= 2))) -- A counter has one or two columns.
);

-- Row-level security
alter table conventions.counters enable row level security;
