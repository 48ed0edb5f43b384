--! Previous: sha1:61970b752638bc57f3a6831d9ba012f6df013bce
--! Hash: sha1:9ee86fadfac82169db2aed57d4b520d74fdd9247
--! Message: the login reads which migrations have run

--! split: 050-roles.sql
-- A start without the owner's login checks that every committed migration has run (src/migrations/migrate.ts).
grant usage on schema graphile_migrate to :API_LOGIN;
grant select on graphile_migrate.migrations to :API_LOGIN;
