import { serverOf, withLoginOf } from "@content-service/support/connectionString.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { findRoute, holdsSession, type Route } from "@content-service/support/route.ts";
import type { Settings } from "../settings.ts";

/**
 * Finds where the connection that listens goes.
 *
 * @param requests where the connections of requests go
 * @throws OperatorError when no notification would arrive there
 */
export async function findListenRoute(
  { apiDatabaseUrl, listenDatabaseUrl }: Pick<Settings, "listenDatabaseUrl"> & { apiDatabaseUrl: string },
  requests: Route,
): Promise<{ connectionString: string; route: Route }> {
  const connectionString = listenDatabaseUrl ? withLoginOf(listenDatabaseUrl, apiDatabaseUrl) : apiDatabaseUrl;
  const route = listenDatabaseUrl ? await findRoute(connectionString) : requests;
  if (holdsSession(route)) return { connectionString, route };
  const pooler = `a connection pooler in transaction mode, at ${serverOf(connectionString)}, which passes no notifications on`;
  throw new OperatorError(
    listenDatabaseUrl
      ? `DATABASE_LISTEN_URL leads to ${pooler}. Let it name PostgreSQL itself (docs/connections.md, PgBouncer).`
      : `Requests go through ${pooler}. Set DATABASE_LISTEN_URL to PostgreSQL itself, for example ` +
          "postgres://host:5432 (docs/connections.md, PgBouncer).",
  );
}
