import { join } from "node:path";
import { borrowEmbeddedPostgres } from "../../embedded/embedded.ts";
import { ensureRoles } from "../../migrations/roles.ts";
import { StartError } from "../../support/StartError.ts";

/** What a command works on. */
export interface Databases {
  /** The owner's connection string. */
  url: string;
  /** What the API reads it with. */
  apiUrl: string;
  /** A database that is made anew whenever it is needed, to see what the migrations come to. */
  shadowUrl: string | undefined;
  isEmbedded: boolean;
  close(): Promise<void>;
}

/**
 * `DATABASE_URL` and `SHADOW_DATABASE_URL`, else the embedded database in `DATA_DIR`, whether a service runs on it or not.
 *
 * @throws StartError when a setting is no connection string, or production has none
 */
export async function openDatabases(environment: NodeJS.ProcessEnv): Promise<Databases> {
  const url = connectionString(environment, "DATABASE_URL");
  const shadowUrl = connectionString(environment, "SHADOW_DATABASE_URL");
  if (url !== undefined) {
    if (url === shadowUrl) throw new StartError("SHADOW_DATABASE_URL: this is DATABASE_URL, and would be dropped.");
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

/** @throws StartError where there is none */
export function requireShadow({ shadowUrl }: Databases): string {
  if (shadowUrl !== undefined) return shadowUrl;
  throw new StartError(
    "SHADOW_DATABASE_URL: set it to a database of the same server, for example postgres://…/shadow. " +
      "It is dropped and made anew, to see what the migrations come to.",
  );
}

function connectionString(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const given = environment[name] || undefined;
  if (given !== undefined && !(/^postgres(ql)?:\/\//.test(given) && URL.canParse(given))) {
    throw new StartError(`${name}: is no connection string; write postgres://user:password@host:5432/database`);
  }
  return given;
}
