import { changeConnection, checkConnectionString } from "@content-service/support/connectionString.ts";
import { ofOneServer } from "@content-service/support/MultiHostClient.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { parse } from "pg-connection-string";

/** Opens the database of a project that is given no `DATABASE_URL`. */
export type OpenDatabase = (environment: NodeJS.ProcessEnv) => Promise<{ url: string; close(): Promise<void> }>;

/** The databases that a command works on. */
export interface Databases {
  /** The owner's connection string. */
  url: string;
  /** A scratch database: dropped and rebuilt to try the migrations. */
  shadowUrl: string | undefined;
  /** Whether the project has opened it, as no DATABASE_URL is given. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

/**
 * Opens `DATABASE_URL` and `SHADOW_DATABASE_URL`, else the database that the project opens by itself.
 *
 * @throws OperatorError when a setting is not a connection string, or is missing
 */
export async function openDatabases(
  environment: NodeJS.ProcessEnv,
  { openDatabase }: { openDatabase?: OpenDatabase } = {},
): Promise<Databases> {
  const url = connectionString(environment, "DATABASE_URL");
  const shadowUrl = connectionString(environment, "SHADOW_DATABASE_URL");
  if (url !== undefined) {
    if (shadowUrl !== undefined && placeOf(url) === placeOf(shadowUrl)) {
      throw new OperatorError("SHADOW_DATABASE_URL: it equals DATABASE_URL, which would be dropped.");
    }
    const shadow = shadowUrl && (await ofOneServer(shadowUrl));
    return { url, shadowUrl: shadow, isEmbedded: false, close: async () => {} };
  }
  if (environment.NODE_ENV === "production") throw new OperatorError("DATABASE_URL: production needs one.");
  if (!openDatabase) throw new OperatorError("DATABASE_URL: set it to the connection string of the database's owner.");
  const opened = await openDatabase(environment);
  return {
    url: opened.url,
    shadowUrl: changeConnection(opened.url, { database: "shadow" }),
    isEmbedded: true,
    close: () => opened.close(),
  };
}

/** @throws OperatorError when no shadow database is configured */
export function requireShadow({ shadowUrl }: Databases): string {
  if (shadowUrl !== undefined) return shadowUrl;
  throw new OperatorError(
    "SHADOW_DATABASE_URL: set it to a database of the same server, for example postgres://…/shadow. " +
      "It is dropped and rebuilt, to try the migrations.",
  );
}

/**
 * Reads a connection string from an environment variable.
 *
 * @throws OperatorError when it is none
 */
export function connectionString(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name] || undefined;
  try {
    return value && checkConnectionString(value);
  } catch (error) {
    throw new OperatorError(`${name}: ${(error as Error).message}`);
  }
}

/** The database of a connection string, whatever its login and its spelling. */
function placeOf(connectionString: string): string {
  const { host, port, database } = parse(connectionString);
  return JSON.stringify([host || "localhost", port || "5432", database]);
}
