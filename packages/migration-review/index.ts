/**
 * Reviews, runs and commits the migrations of a graphile-migrate project.
 *
 * @packageDocumentation
 */
export { connectionString, type Databases, type OpenDatabase, openDatabases } from "./commands/databases.ts";
export { main } from "./commands/main.ts";
export type { CommandLine, Migrations, Settings } from "./migrations/settings.ts";
export type {
  Act,
  Api,
  ApiRoles,
  Caller,
  Command,
  CommandEnvironment,
  Context,
  LeftOut,
  Options,
  Output,
  Project,
  RunningVersion,
} from "./Project.ts";
export { runProgram } from "./runProgram.ts";
export { readTables, type Table } from "./snapshots/tables.ts";
