import type { ParseArgsConfig } from "node:util";
import type { GraphQLSchema } from "graphql";
import type { ClientBase } from "pg";
import type { Databases, OpenDatabase } from "./commands/databases.ts";
import type { CommandLine, Migrations } from "./migrations/settings.ts";

/** Something in the database that the API has no place for: its name in SQL, and one sentence each. */
export interface LeftOut {
  name: string;
  message: string;
  reason: string;
  advice: string;
}

/** The callers of an API, for the question who can read what. */
export interface ApiRoles {
  /** The role of a caller without a token. */
  anonymous: string;
  /** The role of a caller with one. */
  member: string;
  /** Regular expressions of policies, as PostgreSQL prints them: those that let only admins pass, and only the owner of a row. */
  adminPolicy?: string;
  ownerPolicy?: string;
}

/** A GraphQL API that is made from the database, such as PostGraphile's. */
export interface Api {
  /** Its file in the project, which `snapshot` writes: `schema.graphql`. */
  file: string;
  /** The schema whose tables and functions it is made from. */
  schema: string;
  roles: ApiRoles;
  /**
   * Builds the schema that it would serve from this database.
   *
   * @param ownerUrl connection string of the database's owner
   * @param plugins of PostGraphile (GraphileConfig.Plugin), by which the review notes where each field comes from
   * @returns leftOut: what is not in it, or under another name
   */
  readSchema(
    ownerUrl: string,
    environment: NodeJS.ProcessEnv,
    ...plugins: object[]
  ): Promise<{ schema: GraphQLSchema; leftOut?: readonly LeftOut[] }>;
  /** Further files that `snapshot` writes of the schema: the path of each, and its text. */
  snapshots?(schema: GraphQLSchema): Promise<Iterable<readonly [path: string, text: string]>>;
  /** What is not in the schema of this database, or under another name. Reads as the login of the URL, and writes nothing. */
  readLeftOut?(url: string): Promise<readonly LeftOut[]>;
}

/** SQL in the sources of the program that runs while the migration does. */
export interface RunningVersion {
  /** Patterns of git: `src/*.ts`. */
  files: string[];
  /** The login of the program. */
  login: string;
}

/** Somebody who reads and writes the database. */
export interface Caller {
  /** For messages: `a visitor`. */
  name: string;
  /** SQL that gives a transaction the caller's role and identity. */
  become: string;
}

/** Something that the program does in the database, to try it on the sample content. */
export interface Act {
  /** For messages: `deletePost`. */
  name: string;
  /** One statement. */
  sql: string;
  /** By default, the owner. */
  caller?: Caller;
}

/** What the commands know of a project beside `.gmrc` and `migrations/`. A project that is graphile-migrate's needs nothing of it. */
export interface Project {
  /** Which schemas are the project's, as a regular expression. By default, all that are not PostgreSQL's, graphile-migrate's or an extension's. */
  schemas?: string;
  /** Schemas with views that others rely on, such as reports: a change of a view's columns is refused. */
  publishedSchemas?: string[];
  /**
   * As regular expressions: functions that a hook writes after each migration, those that triggers of such hooks call, and tables whose rows
   * triggers write. No change of these functions, of the definition of these triggers and of these rows is a finding.
   */
  generated?: { functions?: string; triggers?: string; tables?: string };
  api?: Api;
  runningVersion?: RunningVersion;
  /** Overrides the advice of a rule, written as in `check/rules.yaml`. */
  advice?: Readonly<Record<string, string>>;
  migrations?: Pick<Migrations, "commandLine" | "sqlAdvice" | "checkExecuted">;
  /** Creates what migrations need and a server has, not a database: roles. Runs before the migrations, again and again. */
  prepareServer?(owner: ClientBase): Promise<void>;
  /** The database to use without `DATABASE_URL`. */
  openDatabase?: OpenDatabase;
  /** Rows that show whether the content of a database still fits, by a file of SQL. */
  sampleContent?: {
    file: string;
    /** Loads this file into a database that has no content yet. */
    load(ownerUrl: string, file?: string): Promise<void>;
  };
  /** Some of those who read the content, of each kind: the review compares which rows they see. In a transaction that is undone. */
  callers?(client: ClientBase): Promise<Caller[]>;
  /** What the program does with the content: the review tries it before and after the change. In a transaction that is undone. */
  acts?(client: ClientBase, directory: string): Promise<Act[]>;
  /** A query whose rows are what differs between derived data and the rows that it is derived from: none. */
  derivedData?: string;
  /** Files that `snapshot` writes besides: texts by their names in the project. */
  snapshots?(client: ClientBase, directory: string): Promise<ReadonlyMap<string, string>>;
  /**
   * A query of what does not work in the database, with the columns `object`, `problem` and `repair`: what it is about, one sentence, and
   * what mends it, or null. `check` refuses a change after which there is a new one; with one, the exit status of `status` is 1.
   */
  problems?: string;
  /** Lines that `status` prints besides, when all migrations have run. */
  status?(client: ClientBase): Promise<string[]>;
  /** Further commands. */
  commands?: Readonly<Record<string, () => Promise<Command>>>;
}

/** Command-line options, as `parseArgs` of `node:util` returns them. */
export type Options = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** Where a command prints: `console`, when it runs as a program. */
export type Output = Pick<Console, "log" | "error">;

/** The environment of a command, which knows neither the process nor its working directory. */
export interface CommandEnvironment {
  /** The checkout: the directory with `migrations/`, the snapshots and git's history. */
  directory: string;
  environment: NodeJS.ProcessEnv;
  project: Project;
  output: Output;
  /** Asks the user at the terminal. Undefined when there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** The signal of Ctrl-C. Until a command calls this, Ctrl-C ends the process. */
  interruption(): AbortSignal;
}

/** What a command is given. */
export interface Context extends CommandEnvironment {
  databases: Databases;
  migrations: Migrations;
  /** A command as the user types it, for messages: `check --base main`. */
  commandLine: CommandLine;
}

/** One of the commands. */
export interface Command {
  /** Undefined when another program reads the command line: all of it are arguments then. */
  options: ParseArgsConfig["options"];
  /** A few words for each argument, for the message when it is missing. All of them are required. */
  arguments?: string[];
  /** Whether it is tried once more where it could not run, since it changes nothing but the shadow database. */
  mayRepeat?: boolean;
  /**
   * @returns the exit status of the program that it has run, if there is one
   * @throws OperatorError with the way out, when the command is refused
   */
  run(context: Context, options: Options, args: string[]): Promise<number | undefined>;
}
