import { join } from "node:path";
import { borrowEmbeddedPostgres } from "../../embedded/embedded.ts";
import { ensureRoles } from "../../migrations/roles.ts";
import { StartError } from "../../support/StartError.ts";

/** The databases that a command works on. */
export interface Databases {
  /** The owner's connection string. */
  url: string;
  /** The connection string of the API's login. */
  apiUrl: string;
  /** A scratch database: dropped and rebuilt to try the migrations. */
  shadowUrl: string | undefined;
  isEmbedded: boolean;
  close(): Promise<void>;
}

/**
 * Opens `DATABASE_URL` and `SHADOW_DATABASE_URL`, else the embedded database in `DATA_DIR`, which a running service may be
 * using at the same time.
 *
 * @throws StartError when a setting is not a connection string, or is missing in production
 */
export async function openDatabases(environment: NodeJS.ProcessEnv): Promise<Databases> {
  const url = connectionString(environment, "DATABASE_URL");
  const shadowUrl = connectionString(environment, "SHADOW_DATABASE_URL");
  if (url !== undefined) {
    if (url === shadowUrl) throw new StartError("SHADOW_DATABASE_URL: it equals DATABASE_URL, which would be dropped.");
    return { url, apiUrl: await ensureRoles(url), shadowUrl, isEmbedded: false, close: async () => {} };
  }
  if (environment.NODE_ENV === "production") throw new StartError("DATABASE_URL: production needs one.");
  const embedded = await borrowEmbeddedPostgres(join(environment.DATA_DIR || ".data", "postgres"));
  return {
    url: embedded.url,
    apiUrl: await ensureRoles(embedded.url),
    shadowUrl: Object.assign(new URL(embedded.url), { pathname: "/shadow" }).href,
    isEmbedded: true,
    close: () => embedded.giveBack(),
  };
}

/** @throws StartError when no shadow database is configured */
export function requireShadow({ shadowUrl }: Databases): string {
  if (shadowUrl !== undefined) return shadowUrl;
  throw new StartError(
    "SHADOW_DATABASE_URL: set it to a database of the same server, for example postgres://…/shadow. " +
      "It is dropped and rebuilt, to try the migrations.",
  );
}

function connectionString(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = environment[name] || undefined;
  if (value !== undefined && !(/^postgres(ql)?:\/\//.test(value) && URL.canParse(value))) {
    throw new StartError(`${name}: not a connection string. Write postgres://user:password@host:5432/database`);
  }
  return value;
}
