-- A start without the owner's login checks that every committed migration has run (src/migrations/migrate.ts).
grant usage on schema graphile_migrate to :API_LOGIN;
grant select on graphile_migrate.migrations to :API_LOGIN;
