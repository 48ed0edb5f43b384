import { isIP } from "node:net";
import { bool, cleanEnv, host, makeValidator, str } from "envalid";
import { defaultLimits, type Limits } from "./graphql/request/limits.ts";
import { checkSecret } from "./identity/checkSecret.ts";
import { StartError } from "./support/StartError.ts";
import { defaultSocketLimits, type SocketLimits } from "./websocket/socketLimits.ts";

/** A comma-separated list of origins; spaces around them do not count. */
const origins = makeValidator((given) =>
  given
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => {
      if (!URL.canParse(item) || new URL(item).origin !== item) {
        throw new Error("is a list of origins, separated by commas: https://example.com,http://localhost:3000");
      }
      return item;
    }),
);

/** What express calls "trust proxy", but for `true`: who believes everybody can be told any address. */
const proxies = makeValidator<string | number>((given) => {
  if (/^[1-9]\d?$/.test(given)) return Number(given);
  if (["loopback", "linklocal", "uniquelocal"].includes(given) || given.split(",").every(isNetwork)) return given;
  throw new Error("is a number of proxies, or their addresses, separated by commas: 1, loopback, 10.0.0.0/8");
});

function isNetwork(given: string): boolean {
  const [address = "", bits] = given.trim().split("/");
  const version = isIP(address);
  return version > 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)));
}

function wholeNumber(min: number, max: number) {
  return makeValidator((given) => {
    const number = Number(given);
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new Error(`is a whole number from ${min} to ${max}`);
    }
    return number;
  });
}

const postgresUrl = makeValidator((given) => {
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given)) {
    throw new Error("is no connection string; write postgres://user:password@host:5432/database");
  }
  return given;
});

const longSecret = makeValidator(checkSecret);

/** Every setting there is: an environment variable, its default, and what it is for. The README's table says the same. */
const specification = {
  NODE_ENV: str({ choices: ["development", "production", "test"], default: "development" }),
  // 0 takes any free one.
  PORT: wholeNumber(0, 65_535)({ default: 4_000 }),
  HOST: host({ default: "127.0.0.1" }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  API_DATABASE_URL: postgresUrl({ default: undefined }),
  DATA_DIR: str({ default: ".data" }),
  DATABASE_POOL_SIZE: wholeNumber(2, 1_000)({ default: 20 }),
  DATABASE_POOL_TIMEOUT_MS: wholeNumber(1, 600_000)({ default: 5_000 }),
  STATEMENT_TIMEOUT_MS: wholeNumber(1, 600_000)({ default: 5_000 }),
  JWT_SECRET: longSecret({ default: undefined }),
  JWT_JWKS_URL: str({ default: undefined }),
  JWT_AUDIENCE: str({ default: undefined }),
  JWT_ISSUER: str({ default: undefined }),
  CORS_ORIGINS: origins({ default: [] }),
  TRUST_PROXY: proxies({ default: "" }),
  BODY_LIMIT_BYTES: wholeNumber(1_024, 104_857_600)({ default: 1_048_576 }),
  HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000)({ default: 10_000 }),
  REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000)({ default: 15_000 }),
  STOP_DELAY_MS: wholeNumber(0, 600_000)({ default: 0 }),
  DRAIN_TIMEOUT_MS: wholeNumber(0, 600_000)({ default: 9_000 }),
  INTROSPECTION: bool({ default: undefined }),
  GRAPHIQL: bool({ default: undefined }),
  PERSISTED_DIR: str({ default: "" }),
  PERSISTED_ONLY: bool({ default: false }),
  RATE_LIMIT_ADDRESS: wholeNumber(0, 1_000_000_000)({ default: undefined }),
  RATE_LIMIT_USER: wholeNumber(0, 1_000_000_000)({ default: undefined }),
  RATE_LIMIT_SIGN_IN: wholeNumber(0, 1_000_000_000)({ default: undefined }),
  MAX_QUERY_BYTES: wholeNumber(1, 1_000_000)({ default: defaultLimits.queryBytes }),
  MAX_QUERY_TOKENS: wholeNumber(1, 2_000)({ default: defaultLimits.tokens }),
  MAX_QUERY_DEPTH: wholeNumber(1, 100)({ default: defaultLimits.depth }),
  MAX_QUERY_ALIASES: wholeNumber(1, 1_000)({ default: defaultLimits.aliases }),
  MAX_QUERY_ROOT_FIELDS: wholeNumber(1, 1_000)({ default: defaultLimits.rootFields }),
  MAX_QUERY_DIRECTIVES: wholeNumber(1, 1_000)({ default: defaultLimits.directives }),
  MAX_QUERY_SELECTIONS: wholeNumber(1, 100_000)({ default: defaultLimits.selections }),
  MAX_QUERY_NODES: wholeNumber(1, 10_000_000)({ default: defaultLimits.nodes }),
  MAX_ANSWER_BYTES: wholeNumber(1_024, 268_435_456)({ default: defaultLimits.answerBytes }),
  MAX_QUERY_ERRORS: wholeNumber(1, 1_000)({ default: defaultLimits.errors }),
  MAX_VARIABLE_VALUES: wholeNumber(1, 1_000_000)({ default: defaultLimits.variableValues }),
  MAX_VARIABLE_DEPTH: wholeNumber(1, 1_000)({ default: defaultLimits.variableDepth }),
  WEBSOCKET_MESSAGE_BYTES: wholeNumber(1_024, 104_857_600)({ default: defaultSocketLimits.messageBytes }),
  WEBSOCKET_OPERATIONS: wholeNumber(1, 10_000)({ default: defaultSocketLimits.operations }),
  WEBSOCKET_INIT_TIMEOUT_MS: wholeNumber(100, 600_000)({ default: defaultSocketLimits.initWithinMs }),
  WEBSOCKET_PING_INTERVAL_MS: wholeNumber(100, 600_000)({ default: defaultSocketLimits.pingEveryMs }),
  WEBSOCKET_BUFFER_BYTES: wholeNumber(1_024, 1_073_741_824)({ default: defaultSocketLimits.waitingBytes }),
  WEBSOCKET_CONNECTIONS: wholeNumber(0, 1_000_000)({ default: defaultSocketLimits.sockets }),
  WEBSOCKET_CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000)({ default: defaultSocketLimits.socketsPerAddress }),
  LOG_LEVEL: str({ choices: ["fatal", "error", "warn", "info", "debug", "trace", "silent"], default: "info" }),
};

export interface Settings {
  isProduction: boolean;
  port: number;
  host: string;
  /** The owner of the schema: it makes the roles and runs the migrations. Without it, the embedded database. */
  databaseUrl: string | undefined;
  /** What requests are answered with. Without it, the login that the service makes for itself. */
  apiDatabaseUrl: string | undefined;
  dataDir: string;
  poolSize: number;
  poolTimeoutMs: number;
  statementTimeoutMs: number;
  token: { secret?: string; jwksUrl?: string; audience?: string; issuer?: string };
  corsOrigins: string[];
  trustProxy: string | number;
  bodyLimit: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  stopDelayMs: number;
  drainTimeoutMs: number;
  persistedDir: string;
  persistedOnly: boolean;
  /** Each a minute; 0 is without limit. */
  rateLimitAddress: number;
  rateLimitUser: number;
  rateLimitSignIn: number;
  introspection: boolean;
  graphiql: boolean;
  queryLimits: Partial<Limits>;
  socketLimits: SocketLimits;
  logLevel: string;
}

/**
 * Reads the settings from environment variables.
 *
 * @throws StartError that names each setting that is wrong or missing, and says what to do about it
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const faults: string[] = [];
  // An empty variable is an unset one: `PORT= npm start`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const read = cleanEnv(given, specification, {
    reporter: ({ errors }) => {
      for (const [name, error] of Object.entries(errors)) faults.push(`${name}: ${error?.message}`);
    },
  });
  const isProduction = read.NODE_ENV === "production";
  if (faults.length === 0) {
    if (read.JWT_SECRET && read.JWT_JWKS_URL) {
      faults.push("JWT_SECRET, JWT_JWKS_URL: set one of them; which one it is pins the algorithm of tokens");
    }
    if (read.PERSISTED_ONLY && !read.PERSISTED_DIR) {
      faults.push("PERSISTED_DIR: PERSISTED_ONLY needs it: the directory of the operations that are allowed");
    }
    if (isProduction && !read.JWT_SECRET && !read.JWT_JWKS_URL) {
      faults.push("JWT_SECRET: production needs one (openssl rand -hex 32), or JWT_JWKS_URL");
    }
    if (isProduction && !read.DATABASE_URL) {
      faults.push("DATABASE_URL: production needs one; the embedded database is for development");
    }
  }
  if (faults.length > 0) throw new StartError(`Settings that need your attention:\n  ${faults.join("\n  ")}`);
  return {
    isProduction,
    port: read.PORT,
    host: read.HOST,
    databaseUrl: read.DATABASE_URL,
    apiDatabaseUrl: read.API_DATABASE_URL,
    dataDir: read.DATA_DIR,
    poolSize: read.DATABASE_POOL_SIZE,
    poolTimeoutMs: read.DATABASE_POOL_TIMEOUT_MS,
    statementTimeoutMs: read.STATEMENT_TIMEOUT_MS,
    token: {
      ...(read.JWT_SECRET ? { secret: read.JWT_SECRET } : null),
      ...(read.JWT_JWKS_URL ? { jwksUrl: read.JWT_JWKS_URL } : null),
      ...(read.JWT_AUDIENCE ? { audience: read.JWT_AUDIENCE } : null),
      ...(read.JWT_ISSUER ? { issuer: read.JWT_ISSUER } : null),
    },
    corsOrigins: read.CORS_ORIGINS,
    trustProxy: read.TRUST_PROXY,
    bodyLimit: read.BODY_LIMIT_BYTES,
    headersTimeoutMs: read.HEADERS_TIMEOUT_MS,
    requestTimeoutMs: read.REQUEST_TIMEOUT_MS,
    stopDelayMs: read.STOP_DELAY_MS,
    drainTimeoutMs: read.DRAIN_TIMEOUT_MS,
    persistedDir: read.PERSISTED_DIR,
    persistedOnly: read.PERSISTED_ONLY,
    rateLimitAddress: read.RATE_LIMIT_ADDRESS ?? (isProduction ? 600 : 0),
    rateLimitUser: read.RATE_LIMIT_USER ?? (isProduction ? 1_200 : 0),
    rateLimitSignIn: read.RATE_LIMIT_SIGN_IN ?? (isProduction ? 20 : 0),
    introspection: read.INTROSPECTION ?? !isProduction,
    graphiql: read.GRAPHIQL ?? !isProduction,
    queryLimits: {
      queryBytes: read.MAX_QUERY_BYTES,
      tokens: read.MAX_QUERY_TOKENS,
      depth: read.MAX_QUERY_DEPTH,
      aliases: read.MAX_QUERY_ALIASES,
      rootFields: read.MAX_QUERY_ROOT_FIELDS,
      directives: read.MAX_QUERY_DIRECTIVES,
      selections: read.MAX_QUERY_SELECTIONS,
      nodes: read.MAX_QUERY_NODES,
      answerBytes: read.MAX_ANSWER_BYTES,
      errors: read.MAX_QUERY_ERRORS,
      variableValues: read.MAX_VARIABLE_VALUES,
      variableDepth: read.MAX_VARIABLE_DEPTH,
    },
    socketLimits: {
      messageBytes: read.WEBSOCKET_MESSAGE_BYTES,
      operations: read.WEBSOCKET_OPERATIONS,
      initWithinMs: read.WEBSOCKET_INIT_TIMEOUT_MS,
      pingEveryMs: read.WEBSOCKET_PING_INTERVAL_MS,
      waitingBytes: read.WEBSOCKET_BUFFER_BYTES,
      sockets: read.WEBSOCKET_CONNECTIONS,
      socketsPerAddress: read.WEBSOCKET_CONNECTIONS_PER_ADDRESS,
    },
    logLevel: read.LOG_LEVEL,
  };
}
