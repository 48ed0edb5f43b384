import { parse } from "pg-connection-string";

/**
 * Checks that node-postgres and graphile-migrate understand a connection string.
 *
 * @returns the connection string
 * @throws Error that says how to write one
 */
export function checkConnectionString(given: string): string {
  if (!/^postgres(ql)?:\/\//.test(given) || !databaseOf(given)) {
    throw new Error("not a connection string. Write postgres://user:password@host:5432/database");
  }
  return given;
}

/** Checks a connection string whose login and database may be missing: withLoginOf() adds them. */
export function checkServerUrl(given: string): string {
  if (/^postgres(ql)?:\/\//.test(given) && databaseOf(given) !== undefined) return given;
  throw new Error(
    "not a connection string. Write postgres://host:5432, or with another login and database than those of requests",
  );
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

/** A replica's connection string, with the login, the database and the parameters of TLS of the primary's where it has none. */
export function replicaUrl(given: string, primaryUrl: string): string {
  const complete = withLoginOf(given, primaryUrl);
  const isTls = ([name]: [string, string]) => name.startsWith("ssl");
  if ([...parametersOf(given)].some(isTls)) return complete;
  const tls = new URLSearchParams([...parametersOf(primaryUrl)].filter(isTls));
  return tls.size > 0 ? `${complete}${complete.includes("?") ? "&" : "?"}${tls}` : complete;
}

function parametersOf(connectionString: string): URLSearchParams {
  return new URLSearchParams(connectionString.split("?").slice(1).join("?"));
}

/**
 * The same connection string with another login or database.
 *
 * A query parameter may name the user, the password, the host or the port (`?user=owner`), and takes precedence over the
 * part before it. So the result is composed of the parts that node-postgres would use.
 */
export function changeConnection(
  connectionString: string,
  changes: { user?: string; password?: string; database?: string },
): string {
  const { user, password, host, port, database } = { ...parse(connectionString), ...changes };
  const parameters = parametersOf(connectionString);
  for (const name of ["user", "password", "host", "port"]) parameters.delete(name);
  // A URL cannot have a port without a host.
  if (port && !host) parameters.set("port", port);
  const login = [user, password].map((part) => encodeURIComponent(part ?? "")).join(":");
  const server = host?.includes(":") ? `[${host}]` : encodeURIComponent(host ?? "");
  const place = `${login}@${server}${port && host ? `:${port}` : ""}/${encodeURI(database ?? "")}`;
  return `postgres://${place}${parameters.size > 0 ? `?${parameters}` : ""}`;
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
