-- Made by npm run db:snapshot from the catalogue. A change is a migration (migrations/README.md).
-- Tables whose rows are visible when the row that a foreign key refers to is: see app_hidden.show_with_parent().
create table app_private.shown_with_parent (
  relation   regclass not null, -- The table.
  key_column name not null, -- The foreign key.
  parent     regclass not null, -- The table that it refers to.
  parent_key name not null, -- The column that it refers to.
  copied     name[] not null, -- Columns that have the values of the parent's columns of the same names.
  constraint shown_with_parent_pkey primary key (relation)
);
