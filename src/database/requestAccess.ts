import type pg from "pg";
import {
  type Caller,
  createPool,
  type DatabaseAccess,
  type Identify,
  type Log,
  makeDatabaseAccess,
  printLsn,
  type Replicas,
  type Route,
  type StandbySettings,
} from "pg-caller-pool";
import { constraintErrors } from "./constraintErrors.ts";
import { roles } from "./roles.ts";

/** What app_hidden.identify() judges a token by. */
export interface Credential {
  /** When the token was issued: the claim `iat`, in seconds since 1970. Undefined without one. */
  issuedAt: number | undefined;
  /** Of a token of an identity provider: what app_private.judge_token() gives with its user, as text. Undefined for the service's own tokens. */
  link?: string;
}

/** Of a caller whom no token stands for: the user alone is judged. */
export const anyCredential: Credential = { issuedAt: Number.POSITIVE_INFINITY };

/** The caller of a request. No other claim of a token reaches the database. */
export interface RequestCaller extends Caller {
  /** The user's id, from the token's `sub`; empty for an anonymous caller. */
  viewerId: string;
  /** How the caller has shown who it is. An anonymous caller has none. */
  credential?: Credential | undefined;
  /** Random, made by the service, the same for all statements of one request: a caller may read what it just created. */
  requestId: string;
  /** The client's IP address; empty where unknown. */
  address: string;
}

export type RequestAccess = DatabaseAccess<RequestCaller>;

export interface RequestPoolSettings {
  /** Connection string of the API's login role: see packages/migration-review/migrations/roles.ts. */
  apiDatabaseUrl: string;
  poolSize: number;
  poolTimeoutMs: number;
  statementTimeoutMs: number;
  lockTimeoutMs?: number;
  /** How many connections stay open while nobody uses them; by default, all. */
  keptOpen?: number;
  /** As PostgreSQL shows it. */
  applicationName?: string;
  /** Settings of each connection, as settingDefaults() reads them. */
  defaults?: Readonly<Record<string, string>>;
  /** The role of anonymous callers, if it is the connections' own: their queries need no identity then. */
  restingRole?: string;
}

/** For each statement that reads the catalogue, however short those of requests have to be. */
const schemaTimeoutMs = 60_000;

/** What identify() would set for an anonymous query. */
const anonymousSettings = { "app.viewer_id": "", "app.request_id": "", "app.client_address": "" };

export function poolSettings({ restingRole, ...settings }: RequestPoolSettings): StandbySettings {
  return {
    connectionString: settings.apiDatabaseUrl,
    size: settings.poolSize,
    connectionTimeoutMs: settings.poolTimeoutMs,
    statementTimeoutMs: settings.statementTimeoutMs,
    lockTimeoutMs: settings.lockTimeoutMs ?? 0,
    ...(settings.keptOpen !== undefined && { keptOpen: settings.keptOpen }),
    applicationName: settings.applicationName ?? "content-service",
    settings: {
      ...settings.defaults,
      // Statements are short: compiling them costs more than it saves.
      jit: "off",
      // A statement is planned once a connection. With a plan for each execution, planning a list takes four times as long as reading it, and PostgreSQL
      // prefers that: it sees what an argument leaves out, as status does with the parts of a list.
      plan_cache_mode: "force_generic_plan",
      // Timestamps are printed in UTC, whatever the server's time zone.
      timezone: "UTC",
      // An unqualified name finds only PostgreSQL's own objects.
      search_path: "pg_catalog",
    },
    ...(restingRole && {
      resting: {
        role: restingRole,
        settings: anonymousSettings,
        suffices: (caller) => needsNoIdentity(caller as RequestCaller),
      },
    }),
  };
}

/** Whether the caller may see what everybody may, and nothing depends on who it is. */
function needsNoIdentity({ viewerId, writes }: RequestCaller): boolean {
  return viewerId === "" && !writes;
}

/** Looks up the caller's role and sets role and identity for this transaction only. */
const identifyText = (source: string) => `select set_config('role', role, true),
       set_config('app.viewer_id', viewer_id, true),
       set_config('app.request_id', $2, true),
       set_config('app.client_address', $3, true)
  from ${source}`;
const onPrimary = identifyText("app_hidden.identify($1, to_timestamp($4), $5)");
const onStandby = identifyText("app_private.identify_on_standby($1, to_timestamp($4), $5, $6, $7)");

export const identify: Identify<RequestCaller> = ({ viewerId, credential, requestId, address, after }, server) => {
  const values = [viewerId || null, requestId, address, printed(credential?.issuedAt), credential?.link ?? null];
  if (server === "primary") return { name: "identify", text: onPrimary, values };
  const position = after ? [String(after.timeline), printLsn(after.lsn)] : [null, null];
  return { name: "identify-on-standby", text: onStandby, values: [...values, ...position] };
};

function printed(value: number | undefined): string | null {
  return value === undefined ? null : String(value);
}

/** After a function has set the viewer: takes the role of those who are signed in. */
export const becomeViewer = {
  text: "select set_config('role', $1, true) where current_setting('app.viewer_id') <> ''",
  values: [roles.member],
};

/** The connections for requests. */
export function createRequestPool(settings: RequestPoolSettings, log?: Log, route?: Route): pg.Pool {
  return createPool(poolSettings(settings), log, route);
}

/**
 * @param version of the catalogue that the schema is built from
 * @param replicas may answer queries
 */
export function makeRequestAccess(pool: pg.Pool, version?: string, replicas?: Replicas): RequestAccess {
  return makeDatabaseAccess<RequestCaller>(pool, {
    identify,
    planKey: ({ viewerId }) => (viewerId === "" ? "anonymous" : "member"),
    explainError: constraintErrors,
    loginTimeoutMs: schemaTimeoutMs,
    ...(version !== undefined && { version }),
    replicas,
  });
}
