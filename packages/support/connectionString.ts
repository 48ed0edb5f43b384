import { parse } from "pg-connection-string";

/** One server of a connection string. */
export interface ServerAddress {
  host: string;
  port: number;
}

/** The values of target_session_attrs that are supported. The service needs a server that accepts writes. */
const sessionAttributes = ["read-write", "primary", "any"];

/**
 * Checks that node-postgres and graphile-migrate understand a connection string.
 *
 * @returns the connection string. Several hosts (`h1:5432,h2:5433`) are moved to the parameters `host` and `port`, where libpq
 * reads them and node-postgres leaves them alone. Without target_session_attrs, the one that accepts writes is meant.
 * @throws Error that says how to write one
 */
export function checkConnectionString(given: string): string {
  const written = withHostsAsParameters(given);
  if (!/^postgres(ql)?:\/\//.test(given) || !databaseOf(written)) {
    throw new Error("not a connection string. Write postgres://user:password@host:5432/database");
  }
  return withTarget(written);
}

/** Checks a connection string whose login and database may be missing: withLoginOf() adds them. */
export function checkServerUrl(given: string): string {
  const written = withHostsAsParameters(given);
  if (/^postgres(ql)?:\/\//.test(given) && databaseOf(written) !== undefined) return withTarget(written);
  throw new Error(
    "not a connection string. Write postgres://host:5432, or with another login and database than those of requests",
  );
}

/** Says which of several servers is meant. */
function withTarget(connectionString: string): string {
  const { host, port } = parse(connectionString);
  const [hosts, ports] = [host?.split(",") ?? [], port?.split(",") ?? []];
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports. Write one port for each host`);
  }
  const attributes = sessionAttributesOf(connectionString);
  if (attributes !== undefined && !sessionAttributes.includes(attributes)) {
    throw new Error(`target_session_attrs=${attributes} is not supported. Write ${sessionAttributes.join(", ")}`);
  }
  if (hosts.length < 2 || attributes !== undefined) return connectionString;
  return withParameter(connectionString, "target_session_attrs", "read-write");
}

/** The same connection string, with the user, the password and the database of another one where it has none. */
export function withLoginOf(connectionString: string, other: string): string {
  const { user, password, database } = parse(connectionString);
  const login = parse(other);
  return changeConnection(connectionString, {
    user: user || login.user || "",
    // A password belongs to its user.
    password: (user ? password : login.password) || "",
    database: database || login.database || "",
  });
}

function databaseOf(given: string): string | null | undefined {
  try {
    return parse(given).database;
  } catch (error) {
    // A certificate's file is missing.
    if ((error as NodeJS.ErrnoException).syscall) throw error;
    return undefined;
  }
}

/** A URL has one host and one port. */
function withHostsAsParameters(given: string): string {
  const [, login, servers = "", rest] = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)(.*)$/s.exec(given) ?? [];
  if (!login || !servers.includes(",")) return given;
  const parts = servers.split(",").map((server) => /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(server));
  if (parts.includes(null)) return given;
  const parameters = new URLSearchParams({
    host: parts.map((part) => decodeURIComponent(part?.[1]?.replace(/^\[|\]$/g, "") ?? "")).join(","),
    port: parts.map((part) => part?.[2] || "5432").join(","),
  });
  const [path, others] = rest?.split(/\?(.*)/s) ?? [];
  return `${login}${path || "/"}?${parameters}${others ? `&${others}` : ""}`;
}

/** Which server the connection string asks for: `target_session_attrs`. */
export function sessionAttributesOf(connectionString: string): string | undefined {
  return parametersOf(connectionString).get("target_session_attrs") ?? undefined;
}

/** The servers that a connection string names. */
export function serversOf(connectionString: string): ServerAddress[] {
  const { host, port } = parse(connectionString);
  const ports = (port || process.env.PGPORT || "5432").split(",");
  return (host || process.env.PGHOST || "localhost")
    .split(",")
    .map((name, index) => ({ host: name || "localhost", port: Number(ports[index] ?? ports[0]) }));
}

/** The same connection string for one of its servers alone. */
export function withServer(connectionString: string, { host, port }: ServerAddress): string {
  const [start, parameters] = [connectionString.split("?")[0], parametersOf(connectionString)];
  parameters.delete("target_session_attrs");
  return changeConnection(`${start}?${parameters}`, { host, port: String(port) });
}

/** A replica's connection string, with the login, the database and the parameters of TLS of the primary's where it has none. */
export function replicaUrl(given: string, primaryUrl: string): string {
  const complete = withLoginOf(given, primaryUrl);
  const isTls = ([name]: [string, string]) => name.startsWith("ssl");
  if ([...parametersOf(given)].some(isTls)) return complete;
  const tls = new URLSearchParams([...parametersOf(primaryUrl)].filter(isTls));
  return tls.size > 0 ? `${complete}${complete.includes("?") ? "&" : "?"}${tls}` : complete;
}

/**
 * The same connection string with another login, database or server.
 *
 * A query parameter may name the user, the password, the host or the port (`?user=owner`), and takes precedence over the
 * part before it. So the result is composed of the parts that node-postgres would use.
 */
export function changeConnection(
  connectionString: string,
  changes: { user?: string; password?: string; database?: string; host?: string; port?: string },
): string {
  const { user, password, host, port, database } = { ...parse(connectionString), ...changes };
  const parameters = parametersOf(connectionString);
  for (const name of ["user", "password", "host", "port"]) parameters.delete(name);
  const isOneServer = host && !host.includes(",");
  // A URL has one host, and no port without a host.
  if (host && !isOneServer) parameters.set("host", host);
  if (port && !isOneServer) parameters.set("port", port);
  const login = [user, password].map((part) => encodeURIComponent(part ?? "")).join(":");
  const server = host?.includes(":") ? `[${host}]` : encodeURIComponent(host ?? "");
  const place = `${login}@${isOneServer ? server : ""}${port && isOneServer ? `:${port}` : ""}/${encodeURI(database ?? "")}`;
  return `postgres://${place}${parameters.size > 0 ? `?${parameters}` : ""}`;
}

export function withParameter(connectionString: string, name: string, value: string): string {
  return `${connectionString}${connectionString.includes("?") ? "&" : "?"}${new URLSearchParams({ [name]: value })}`;
}

/** Host and port of a connection string, for logs and metrics. */
export function hostAndPort(connectionString: string): string {
  const { host, port } = parse(connectionString);
  return `${host}:${port || 5_432}`;
}

/** The server of a connection string, for messages: without the login. */
export function serverOf(connectionString: string): string {
  return parse(connectionString).host || process.env.PGHOST || "localhost";
}

function parametersOf(connectionString: string): URLSearchParams {
  return new URLSearchParams(connectionString.split("?").slice(1).join("?"));
}
