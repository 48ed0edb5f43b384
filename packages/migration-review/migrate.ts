/**
 * Runs committed migrations, as at the start of a service.
 *
 * @packageDocumentation
 */
export { hasCurrent, migrate, migrateCurrent, type RanMigration, requireMigrated } from "./migrations/migrate.ts";
export { type CommandLine, type Migrations, readMigrations, type Settings } from "./migrations/settings.ts";
