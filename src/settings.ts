import { getHeapStatistics } from "node:v8";
import { checkConnectionString, checkServerUrl } from "@content-service/support/connectionString.ts";
import { networkOf } from "@content-service/support/networkOf.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { bool, cleanEnv, host, makeValidator, str, type ValidatorSpec } from "envalid";
import { type IssuerSettings, readIssuers } from "./issuerSettings.ts";

/** A setting: its environment variable, how its text is read, and its default. */
class Variable<Value> {
  readonly name: string;
  readonly validator: ValidatorSpec<Value>;

  constructor(name: string, validator: ValidatorSpec<Value>) {
    this.name = name;
    this.validator = validator;
  }
}

/** As many as the hash of HS256 has. */
const minSecretBytes = 32;

/**
 * Checks the secret for HS256. A secret shorter than the hash can be guessed offline from a single token.
 *
 * @returns the secret
 */
export function checkSecret(secret: string): string {
  if (Buffer.byteLength(secret) < minSecretBytes) {
    throw new Error(
      `The secret that signs tokens needs at least ${minSecretBytes} bytes. Make one with: openssl rand -hex 32`,
    );
  }
  return secret;
}

const optional = { default: undefined };
/** Several, separated by commas. @param check returns one, or throws */
const listOf = (check: (item: string) => string) =>
  makeValidator((given) =>
    given
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(check),
  );
const origins = listOf((item) => {
  if (URL.canParse(item) && new URL(item).origin === item) return item;
  throw new Error("is a list of origins, separated by commas: https://example.com,http://localhost:3000");
});

const privateNetworks = listOf((item) => {
  if (networkOf(item)) return item;
  throw new Error("is a list of addresses and networks, separated by commas: 127.0.0.1,10.0.0.0/8");
});

/** As express's "trust proxy", without `true`: it would let every client choose its own IP address. */
const proxies = makeValidator<string | number>((given) => {
  if (/^[1-9]\d?$/.test(given)) return Number(given);
  if (["loopback", "linklocal", "uniquelocal"].includes(given) || given.split(",").every(networkOf)) return given;
  throw new Error("is a number of proxies, or their addresses, separated by commas: 1, loopback, 10.0.0.0/8");
});

/** Paths begin with `/`, so there is none at its end. */
const pagesUrl = makeValidator((given) => {
  const url = URL.parse(given);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username)
    return given.replace(/\/+$/, "");
  throw new Error("is the address of your pages: https://example.com");
});
const smtpUrl = makeValidator((given) => {
  const url = URL.parse(given);
  if (url && /^smtps?:$/.test(url.protocol) && url.hostname && /^\/?$/.test(url.pathname)) return given;
  throw new Error("is the address of a mail server: smtps://user:password@mail.example.com, or smtp:// for STARTTLS");
});
/** Alone, or after a name. */
const sender = makeValidator((given) => {
  if (/^(?:[^<>@,;:\r\n]*<)?[^\s<>@,;:"]+@[^\s<>@,;:"]+>?$/.test(given) && given.includes("<") === given.includes(">"))
    return given;
  throw new Error("is an email, alone or after a name: Example <hello@example.com>");
});
const headerName = makeValidator((given) => {
  if (/^[A-Za-z][A-Za-z0-9-]*$/.test(given)) return given;
  throw new Error("is the name of a header: Cache-Tag, or Surrogate-Key");
});
const issuers = makeValidator(readIssuers);
const postgresUrl = makeValidator(checkConnectionString);
const serverUrl = makeValidator(checkServerUrl);
const replicaUrls = listOf(checkServerUrl);

const text = (name: string, fallback: string) => new Variable<string>(name, str({ default: fallback }));
const optionalText = (name: string) => new Variable<string | undefined>(name, str(optional));
const optionalFlag = (name: string) => new Variable<boolean | undefined>(name, bool(optional));

/** A whole number, both bounds included. */
function number<Fallback extends number | undefined>(name: string, min: number, max: number, fallback: Fallback) {
  const validator = makeValidator((given) => {
    const value = Number(given);
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new Error(`is a whole number from ${min} to ${max}`);
    }
    return value;
  });
  return new Variable<number | Fallback>(name, validator({ default: fallback }) as ValidatorSpec<number | Fallback>);
}

const milliseconds = (name: string, fallback: number, min = 0) => number(name, min, 600_000, fallback);

/** Every setting there is. docs/settings.md has the same list; a test compares the two. Maximums are inclusive. */
const specification = {
  environment: new Variable(
    "NODE_ENV",
    str({ choices: ["development", "production", "test"] as const, default: "development" }),
  ),
  /** 0 takes any free port. */
  port: number("PORT", 0, 65_535, 4_000),
  host: new Variable("HOST", host({ default: "127.0.0.1" })),
  /** The owner of the schema: creates the roles and runs the migrations. Without it, the embedded database. */
  databaseUrl: new Variable<string | undefined>("DATABASE_URL", postgresUrl(optional)),
  /** The login that serves requests. Without it, the one that the service creates. */
  apiDatabaseUrl: new Variable<string | undefined>("API_DATABASE_URL", postgresUrl(optional)),
  /** Where the service listens, when requests go through a pooler in transaction mode. By default, as `apiDatabaseUrl`. */
  listenDatabaseUrl: new Variable<string | undefined>("DATABASE_LISTEN_URL", serverUrl(optional)),
  /** Standbys of the database, which answer queries. What a connection string leaves out is as in that of the login. */
  replicaUrls: new Variable<string[]>("DATABASE_REPLICA_URLS", replicaUrls({ default: [] })),
  /** A standby that is farther behind answers no queries. The lag is measured each second, and may be too high by that. */
  replicaMaxLagMs: milliseconds("REPLICA_MAX_LAG_MS", 10_000, 2_000),
  /** Whether a start creates the roles and runs the migrations. If not, it does without the owner's login. */
  migrateOnStart: new Variable<boolean>("MIGRATE_ON_START", bool({ default: true })),
  /** Whether the port is open from the start on, for probes. If not, it opens when the service is ready. */
  listenAtStart: new Variable<boolean>("LISTEN_AT_START", bool({ default: true })),
  dataDir: text("DATA_DIR", ".data"),
  poolSize: number("DATABASE_POOL_SIZE", 2, 1_000, 20),
  /** How long a request waits for a connection. */
  poolTimeoutMs: milliseconds("DATABASE_POOL_TIMEOUT_MS", 5_000, 1),
  statementTimeoutMs: milliseconds("STATEMENT_TIMEOUT_MS", 5_000, 1),
  /** How long a request's statement waits for a lock; 0 for as long as it may run. */
  lockTimeoutMs: milliseconds("LOCK_TIMEOUT_MS", 2_000),
  /** How often expired rows are deleted; 0 leaves it to the operator. */
  maintenanceMinutes: number("MAINTENANCE_MINUTES", 0, 1_440, 10),
  /** How long the audit trail is kept. */
  auditRetentionDays: number("AUDIT_RETENTION_DAYS", 90, 36_500, 365),
  /** Whether reads of single posts are counted, without the reader. */
  countReads: new Variable<boolean>("COUNT_READS", bool({ default: true })),
  /** How tokens are signed and checked. The variable that is set, `secret` or `jwksUrl`, pins the algorithms. */
  token: {
    /** HS256, by at least 32 bytes. The service signs tokens itself. */
    secret: new Variable<string | undefined>("JWT_SECRET", makeValidator(checkSecret)(optional)),
    /** RS256 and ES256, by the keys found at this `https:`, `http:` or `file:` URL. The service only checks tokens. */
    jwksUrl: optionalText("JWT_JWKS_URL"),
    /** Required value of the claim `aud`, alone or in a list. */
    audience: optionalText("JWT_AUDIENCE"),
    /** Required value of the claim `iss`. */
    issuer: optionalText("JWT_ISSUER"),
    /** Identity providers, whose people are users here by app_private.user_of_token(). */
    issuers: new Variable<IssuerSettings[]>("JWT_ISSUERS", issuers({ default: [] })),
  },
  mail: {
    /** Where the service sends the mails of the outbox. Without it, a mailer of the operator's does, or nobody. */
    smtpUrl: new Variable<string | undefined>("SMTP_URL", smtpUrl(optional)),
    /** The sender of mails. */
    from: new Variable<string | undefined>("MAIL_FROM", sender(optional)),
    /** The texts of mails: `<language>/<kind>.txt` and `.html`. */
    directory: text("MAIL_DIR", "mails"),
    /** The pages that mails link to. */
    appUrl: new Variable<string | undefined>("APP_URL", pagesUrl(optional)),
  },
  /** Whether this instance sends webhooks. */
  webhooks: new Variable<boolean>("WEBHOOKS", bool({ default: true })),
  /** Private addresses and networks to which webhooks may go. */
  webhookAddresses: new Variable<string[]>("WEBHOOK_PRIVATE_ADDRESSES", privateNetworks({ default: [] })),
  /** Origins whose pages may call from a browser, over HTTP and WebSocket. */
  corsOrigins: new Variable<string[]>("CORS_ORIGINS", origins({ default: [] })),
  /** The proxies whose `X-Forwarded-For` is believed: a number of hops or networks, as express's "trust proxy". */
  trustProxy: new Variable<string | number>("TRUST_PROXY", proxies({ default: "" })),
  /** The longest request body, in bytes. */
  bodyLimit: number("BODY_LIMIT_BYTES", 1_024, 104_857_600, 1_048_576),
  /**
   * Heap for all that clients cause: requests, results, subscriptions, unread bytes; of one client, half. Default: a quarter of the old space,
   * and room for two of the largest responses.
   */
  clientBytes: number("CLIENT_BYTES", 1_048_576, 17_179_869_184, undefined),
  headersTimeoutMs: milliseconds("HEADERS_TIMEOUT_MS", 10_000, 100),
  /** For the whole request, headers and body. */
  requestTimeoutMs: milliseconds("REQUEST_TIMEOUT_MS", 15_000, 100),
  /** How long a client may read nothing of a response before its connection is cut. */
  responseTimeoutMs: milliseconds("RESPONSE_TIMEOUT_MS", 15_000, 100),
  /** How long a stopping service still accepts requests while it reports "not ready", so that proxies notice. */
  stopDelayMs: milliseconds("STOP_DELAY_MS", 0),
  /** How long requests in flight have to finish after that. */
  drainTimeoutMs: milliseconds("DRAIN_TIMEOUT_MS", 9_000),
  /** Whether clients may ask for the schema. Default: not in production. */
  introspection: optionalFlag("INTROSPECTION"),
  /** Whether a browser that opens the endpoint gets a page. Default: not in production. */
  graphiql: optionalFlag("GRAPHIQL"),
  /** A directory of operations, `<hash>.graphql`; empty for none. */
  persistedDir: text("PERSISTED_DIR", ""),
  /** Whether clients may register an operation by its hash, as Apollo and urql do. Not where PERSISTED_ONLY is set. */
  automaticPersistedQueries: new Variable<boolean>("AUTOMATIC_PERSISTED_QUERIES", bool({ default: true })),
  /** How long caches may keep the response to an anonymous GET, in seconds; 0 for not at all. */
  cacheSeconds: number("CACHE_SECONDS", 0, 31_536_000, 0),
  /** The header that tells caches what such a response shows. */
  cacheTagHeader: new Variable<string>("CACHE_TAG_HEADER", headerName({ default: "Cache-Tag" })),
  /** Whether persisted operations are the only ones that run. */
  persistedOnly: new Variable<boolean>("PERSISTED_ONLY", bool({ default: false })),
  /** Requests a minute: of an IP address without a signed-in user, of a user; 0 is no limit. Default: only in production. */
  rateLimitAddress: number("RATE_LIMIT_ADDRESS", 0, 1_000_000_000, undefined),
  rateLimitUser: number("RATE_LIMIT_USER", 0, 1_000_000_000, undefined),
  /** Calls a minute, from one IP address, of mutations with the smart tag `@rateLimited`; 0 is no limit. */
  rateLimitSignIn: number("RATE_LIMIT_SIGN_IN", 0, 1_000_000_000, undefined),
  /** How much one request may ask for, as far as operators have a reason to change it (docs/decisions.md, "Limits"). */
  queryLimits: {
    /** Nested fields, the root field and the leaf included. Introspection has a limit of its own. */
    depth: number("MAX_QUERY_DEPTH", 1, 100, 10),
    /** Root fields of a mutation. */
    mutations: number("MAX_QUERY_MUTATIONS", 1, 1_000, 5),
    /** Fields, spreads and inline fragments. A fragment's content counts each time the fragment is spread. */
    selections: number("MAX_QUERY_SELECTIONS", 1, 100_000, 200),
    /** Objects that the response can contain: list sizes multiplied down each path, summed up. */
    nodes: number("MAX_QUERY_NODES", 1, 10_000_000, 10_000),
    /** Rows that the database may have to read: nodes, rows skipped by `offset`, and the price of each count and list. */
    cost: number("MAX_QUERY_COST", 1, 100_000_000, 50_000),
    /** Bytes that one request may read from the database, and roughly the size of its response as JSON. */
    responseBytes: number("MAX_RESPONSE_BYTES", 1_024, 268_435_456, 8_388_608),
  },
  /** Whether plain queries and mutations are compiled to SQL that returns JSON. If not, the engine executes all operations. */
  compileQueries: new Variable<boolean>("COMPILE_QUERIES", bool({ default: true })),
  /** Heap for cached plans, in bytes; documents get a quarter more, and compiled statements another quarter. Default: an eighth of the old space. */
  queryCacheBytes: number("QUERY_CACHE_BYTES", 1_048_576, 17_179_869_184, undefined),
  socketLimits: {
    /** Bytes of one message. */
    messageBytes: number("WEBSOCKET_MESSAGE_BYTES", 1_024, 104_857_600, 65_536),
    /** Operations that run on one socket at the same time. */
    operations: number("WEBSOCKET_OPERATIONS", 1, 10_000, 20),
    /**
     * The budget of a socket for a second: a frame costs 1 and 1 for each KB, an operation 5 more. Five seconds' worth may come
     * at once. The sockets of one IP address may send ten times as much together. The service reads no faster.
     */
    unitsPerSecond: number("WEBSOCKET_UNITS_PER_SECOND", 1, 1_000_000, 500),
    /** Time for the client to send `connection_init`. */
    initTimeoutMs: milliseconds("WEBSOCKET_INIT_TIMEOUT_MS", 3_000, 100),
    pingIntervalMs: milliseconds("WEBSOCKET_PING_INTERVAL_MS", 12_000, 100),
    /** Bytes buffered for a client that does not read. */
    bufferBytes: number("WEBSOCKET_BUFFER_BYTES", 1_024, 1_073_741_824, 1_048_576),
    /** Sockets open at the same time: in all, and from one IP address. */
    sockets: number("WEBSOCKET_CONNECTIONS", 0, 1_000_000, 10_000),
    socketsPerAddress: number("WEBSOCKET_CONNECTIONS_PER_ADDRESS", 1, 1_000_000, 5_000),
  },
  logLevel: new Variable(
    "LOG_LEVEL",
    str({ choices: ["fatal", "error", "warn", "info", "debug", "trace", "silent"], default: "info" }),
  ),
};

type ValuesOf<Part> = { [Key in keyof Part]: Part[Key] extends Variable<infer Value> ? Value : ValuesOf<Part[Key]> };
type Read = ValuesOf<typeof specification>;
/** Settings whose default depends on NODE_ENV or on the machine, once it is filled in. */
interface Resolved {
  isProduction: boolean;
  introspection: boolean;
  graphiql: boolean;
  rateLimitAddress: number;
  rateLimitUser: number;
  rateLimitSignIn: number;
  clientBytes: number;
  queryCacheBytes: number;
}

export type Settings = Omit<Read, keyof Resolved> & Resolved;
export type TokenSettings = Partial<Settings["token"]>;
export type QueryLimits = Settings["queryLimits"];
export type SocketLimits = Settings["socketLimits"];

/**
 * Reads the settings from environment variables.
 *
 * @throws OperatorError that names each setting that is wrong or missing, and says what to do about it
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  // An empty variable is an unset one: `PORT= npm start`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const validators = Object.fromEntries(variablesIn(specification).map(({ name, validator }) => [name, validator]));
  const byName = cleanEnv(given, validators, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) problems.push(`${name}: ${error?.message}`);
    },
  });
  refuse(problems);
  const read = valuesOf(specification, byName) as Read;
  const isProduction = read.environment === "production";
  const heapBytes = oldSpaceBytes();
  refuse(contradictions(read, isProduction));
  return {
    ...read,
    isProduction,
    introspection: read.introspection ?? !isProduction,
    graphiql: read.graphiql ?? !isProduction,
    rateLimitAddress: read.rateLimitAddress ?? (isProduction ? 600 : 0),
    rateLimitUser: read.rateLimitUser ?? (isProduction ? 1_200 : 0),
    rateLimitSignIn: read.rateLimitSignIn ?? (isProduction ? 20 : 0),
    clientBytes: read.clientBytes ?? Math.max(Math.floor(heapBytes / 4), leastClientBytes(read)),
    queryCacheBytes: read.queryCacheBytes ?? Math.floor(heapBytes / 8),
  };
}

/** The limit of the heap that V8 tells has the young generation in it, by default of 192 MB, for which nothing can be planned. */
function oldSpaceBytes(): number {
  const flags = [process.env.NODE_OPTIONS ?? "", ...process.execArgv].join(" ");
  const [, megabytes] = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1) ?? [];
  return megabytes ? Number(megabytes) * 2 ** 20 : getHeapStatistics().heap_size_limit;
}

function refuse(problems: string[]): void {
  if (problems.length > 0) throw new OperatorError(`Settings that need your attention:\n  ${problems.join("\n  ")}`);
}

function variablesIn(part: object): Variable<unknown>[] {
  return Object.values(part).flatMap((item) => (item instanceof Variable ? [item] : variablesIn(item)));
}

function valuesOf(part: object, byName: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(part).map(([key, item]) => [
      key,
      item instanceof Variable ? byName[item.name] : valuesOf(item, byName),
    ]),
  );
}

/** A client may hold half of it, and a response takes its bytes four times (src/memory/heap.ts). */
function leastClientBytes({ queryLimits }: Pick<Read, "queryLimits">): number {
  return 2 * 4 * queryLimits.responseBytes;
}

function contradictions(read: Read, isProduction: boolean): string[] {
  const { token, databaseUrl, apiDatabaseUrl, migrateOnStart, persistedDir, persistedOnly } = read;
  const problems: string[] = [];
  if (token.secret && token.jwksUrl) {
    problems.push("JWT_SECRET, JWT_JWKS_URL: set one of them; which one it is pins the algorithm of tokens");
  }
  if (persistedOnly && !persistedDir) {
    problems.push("PERSISTED_DIR: PERSISTED_ONLY needs it: the directory of the operations that are allowed");
  }
  if (read.clientBytes !== undefined && read.clientBytes < leastClientBytes(read)) {
    problems.push(`CLIENT_BYTES: MAX_RESPONSE_BYTES needs eight times as much: ${leastClientBytes(read)}`);
  }
  if (token.issuers.some(({ issuer }) => issuer === token.issuer)) {
    problems.push("JWT_ISSUER: is one of JWT_ISSUERS. It names the tokens whose sub is the id of a user here");
  }
  if (token.jwksUrl && token.issuers.length > 0 && !token.issuer) {
    problems.push("JWT_ISSUER: JWT_JWKS_URL and JWT_ISSUERS need it, to tell whose tokens have the ids of users here");
  }
  if (isProduction && !token.secret && !token.jwksUrl && token.issuers.length === 0) {
    problems.push("JWT_SECRET: production needs one (openssl rand -hex 32), or JWT_JWKS_URL, or JWT_ISSUERS");
  }
  const { smtpUrl, from, appUrl } = read.mail;
  if (smtpUrl && !from) problems.push("MAIL_FROM: SMTP_URL needs it: the sender of mails");
  if (smtpUrl && !appUrl) problems.push("APP_URL: SMTP_URL needs it: the pages that mails link to");
  if (!migrateOnStart && !apiDatabaseUrl) {
    problems.push(
      "API_DATABASE_URL: MIGRATE_ON_START=false needs it, because such a start does without the owner's login",
    );
  }
  if (migrateOnStart && apiDatabaseUrl && !databaseUrl) {
    problems.push("DATABASE_URL: the owner's login runs the migrations. Set it, or MIGRATE_ON_START=false");
  } else if (migrateOnStart && isProduction && !databaseUrl) {
    problems.push("DATABASE_URL: production needs one; the embedded database is for development");
  }
  return problems;
}

/** Whether nobody sends mails, and a page shows them. */
export function showsMails({ environment, mail }: Pick<Settings, "environment" | "mail">): boolean {
  return environment === "development" && !mail.smtpUrl;
}

/** The path of the page of mails, which only those learn who see the start. */
export function mailsPath(key: string): string {
  return `/mails?key=${key}`;
}

/** The settings of an empty environment: those of development. */
export const defaultSettings = readSettings({});
