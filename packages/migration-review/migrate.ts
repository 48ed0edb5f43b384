/**
 * Runs committed migrations, as at the start of a service.
 *
 * @packageDocumentation
 */
export { hasCurrent, migrate, migrateCurrent, requireMigrated, runMigrations } from "./migrations/migrate.ts";
export { type CommandLine, type Migrations, readMigrations } from "./migrations/settings.ts";
