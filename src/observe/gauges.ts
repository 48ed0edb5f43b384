import type { Replica, Replicas } from "@content-service/caller-pool/Replicas.ts";
import { waitingFor } from "@content-service/caller-pool/turns.ts";
import type { StreamsStatus } from "@content-service/change-feed/Streams.ts";
import type pg from "pg";
import type { Metrics } from "./Metrics.ts";

/** The numbers that the WebSocket server has for the metrics. */
interface OpenSockets {
  readonly open: number;
  readonly subscriptions: number;
}

/**
 * @param eventStreams subscriptions over HTTP
 */
export function registerSockets(
  metrics: Metrics,
  sockets: OpenSockets,
  eventStreams: Pick<OpenSockets, "subscriptions">,
): void {
  metrics.registerGauge("websocket_connections", "Open WebSockets.", () => sockets.open);
  metrics.registerGauge(
    "graphql_subscriptions",
    "Open subscriptions, by transport.",
    () => ({
      websocket: sockets.subscriptions,
      sse: eventStreams.subscriptions,
    }),
    "transport",
  );
}

export function registerStreams(metrics: Metrics, streams: { readonly status: StreamsStatus }): void {
  const status = () => streams.status;
  metrics.registerCounter("messages_delivered_total", "Events sent to subscribers.", () => status().deliveries);
  metrics.registerGauge("messages_listening", "1 while the service listens to the database.", () =>
    status().state === "listening" ? 1 : 0,
  );
  metrics.registerCounter(
    "messages_connection_losses_total",
    "How often the listening connection was lost.",
    () => status().losses,
  );
  metrics.registerGauge(
    "messages_lag_seconds",
    "Time from the last notification to the delivery of its events.",
    () => status().lagMs / 1_000,
  );
  metrics.registerGauge(
    "notification_queue_ratio",
    "The part of the database server's queue of notifications that is full.",
    () => status().queueUsage,
  );
}

export function registerPool(metrics: Metrics, pool: pg.Pool): void {
  metrics.registerGauge(
    "database_connections",
    "Connections for requests, by state.",
    () => ({
      idle: pool.idleCount,
      busy: pool.totalCount - pool.idleCount,
    }),
    "state",
  );
  metrics.registerGauge(
    "database_connections_awaited",
    "Requests that wait for a connection.",
    () => pool.waitingCount + waitingFor(pool),
  );
}

/** Replicas are labelled by host and port. */
export function registerReplicas(metrics: Metrics, replicas: Replicas): void {
  const ofEach = (read: (replica: Replica) => number) => () =>
    Object.fromEntries(replicas.all.map((replica) => [replica.name, read(replica)]));
  metrics.registerGauge(
    "replica_lag_seconds",
    "How old the answers of a replica are at most.",
    ofEach(({ lagMs }) => lagMs / 1_000),
    "replica",
  );
  metrics.registerGauge(
    "replica_in_rotation",
    "1 while a replica answers queries.",
    ofEach(({ isInRotation }) => Number(isInRotation)),
    "replica",
  );
  metrics.registerCounter(
    "queries_total",
    "Queries, by the server that has answered them.",
    () => ({
      ...ofEach(({ answered }) => answered)(),
      primary: replicas.all.reduce((sum, { passedOn }) => sum + passedOn, replicas.withoutReplica),
    }),
    "server",
  );
  metrics.registerCounter(
    "replica_passed_on_total",
    "Queries that a replica could not answer, so that the primary has answered them.",
    ofEach(({ passedOn }) => passedOn),
    "replica",
  );
}
