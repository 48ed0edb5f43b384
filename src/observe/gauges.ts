import type pg from "pg";
import { type Replica, type Replicas, waitingFor } from "pg-caller-pool";
import type { FeedReaderStatus, WebhookSender } from "postgraphile-change-feed";
import type { Metrics } from "./Metrics.ts";

/** The parts of a service that have numbers for the metrics. */
export interface Measured {
  /** The connections of requests. */
  pool: pg.Pool;
  replicas: Replicas | undefined;
  streams: { readonly status: FeedReaderStatus };
  sockets: { readonly open: number; readonly subscriptions: number };
  pipeline: { readonly waiting: number };
  /** The memory that clients take, by use. */
  ledger: { readonly held: Readonly<Record<string, number>>; readonly waiting: number };
  /** Subscriptions over HTTP. */
  eventStreams: { readonly subscriptions: number };
  /** How many operations no compiled statement has answered, by reason. */
  engineFallbacks: Readonly<Record<string, number>>;
  /** What does not work in the database. */
  selfCheck: { readonly problems: number };
  /** Undefined where the service sends no webhooks. */
  webhooks: Pick<WebhookSender, "outcomes" | "troubled"> | undefined;
  /** Undefined where the service sends no mails. */
  mailer: { readonly outcomes: Readonly<Record<string, number>> } | undefined;
  /** Whether the schema is that of the database. */
  isCurrent(): boolean;
}

const levelOf = { stuck: 1, failing: 2, disabled: 3 };

/** Registers what is read at each scrape. */
export function registerGauges(metrics: Metrics, measured: Measured): void {
  const { pool, replicas, streams, pipeline, ledger } = measured;
  const { sockets, eventStreams, engineFallbacks, selfCheck, mailer, webhooks, isCurrent } = measured;
  metrics.gauge(
    "schema_is_current",
    "0 while no schema can be made from the database, and an earlier one is served.",
    () => Number(isCurrent()),
  );
  metrics.gauge(
    "database_problems",
    "What does not work in the database, as the last hourly check has found. The log has each with its repair.",
    () => selfCheck.problems,
  );
  metrics.counter(
    "graphql_left_to_engine_total",
    "Operations that no compiled statement has answered, by reason.",
    () => engineFallbacks,
    "reason",
  );
  const connections = () => ({ idle: pool.idleCount, busy: pool.totalCount - pool.idleCount });
  metrics.gauge("database_connections", "Connections for requests, by state.", connections, "state");
  const awaited = () => pool.waitingCount + waitingFor(pool);
  metrics.gauge("database_connections_awaited", "Requests that wait for a connection.", awaited);
  metrics.gauge(
    "event_loop_awaited",
    "Requests and events that wait behind others of their caller.",
    () => pipeline.waiting,
  );
  metrics.gauge("client_bytes", "Bytes that are held for clients, by reason.", () => ledger.held, "reason");
  metrics.gauge("client_bytes_awaited", "Requests and events that wait for such bytes.", () => ledger.waiting);
  metrics.gauge("websocket_connections", "Open WebSockets.", () => sockets.open);
  const subscriptions = () => ({ websocket: sockets.subscriptions, sse: eventStreams.subscriptions });
  metrics.gauge("graphql_subscriptions", "Open subscriptions, by transport.", subscriptions, "transport");
  registerStreams(metrics, () => streams.status);
  metrics.counter(
    "mail_attempts_total",
    "Attempts to send a mail: sent, failed (tried again) or refused (for good).",
    () => mailer?.outcomes ?? { sent: 0, failed: 0, refused: 0 },
    "outcome",
  );
  metrics.counter(
    "webhook_events_total",
    "Events for webhooks: delivered, hidden (the role may not see the row), given_up; attempts: failed (the endpoint), refused (the event).",
    () => webhooks?.outcomes ?? { delivered: 0, hidden: 0, failed: 0, refused: 0, given_up: 0 },
    "outcome",
  );
  metrics.gauge(
    "webhook_in_trouble",
    "1 for a webhook with keys that are stuck behind an event, 2 for one whose endpoint fails, 3 for one that is disabled; any: the worst of all.",
    () => {
      const levels = [...(webhooks?.troubled ?? [])].map(([name, trouble]) => [name, levelOf[trouble]] as const);
      return { any: Math.max(0, ...levels.map(([, level]) => level)), ...Object.fromEntries(levels) };
    },
    "webhook",
  );
  if (replicas) registerReplicas(metrics, replicas);
}

function registerStreams(metrics: Metrics, status: () => FeedReaderStatus): void {
  const isListening = () => Number(status().state === "listening");
  metrics.counter("messages_delivered_total", "Events sent to subscribers.", () => status().deliveries);
  metrics.gauge("messages_listening", "1 while the service listens to the database.", isListening);
  metrics.counter(
    "messages_connection_losses_total",
    "How often the listening connection was lost.",
    () => status().losses,
  );
  metrics.gauge(
    "stream_in_trouble",
    "1 for a stream that waits for a lock or a slow function, 2 for one whose statements fail; any: the worst of all.",
    () => {
      const troubled = Object.entries(status().troubled).map(
        ([name, state]) => [name, state === "broken" ? 2 : 1] as const,
      );
      return { any: Math.max(0, ...troubled.map(([, level]) => level)), ...Object.fromEntries(troubled) };
    },
    "stream",
  );
  metrics.gauge(
    "stream_subscriptions_behind",
    "Subscriptions that have more to receive than the newest events; any: of all streams.",
    () => {
      const { behind } = status();
      return { any: Object.values(behind).reduce((sum, count) => sum + count, 0), ...behind };
    },
    "stream",
  );
  metrics.counter(
    "stream_positions_lost_total",
    "Keys whose followers had events that are no longer in the history, and were told: a restore, a failover, a truncate.",
    () => status().lostHistories,
  );
  metrics.counter(
    "stream_waits_total",
    "How often a stream has waited alone for a lock or a slow function.",
    () => status().waits,
  );
  metrics.gauge(
    "messages_lag_seconds",
    "Time from the last notification to the delivery of its events.",
    () => status().lagMs / 1_000,
  );
  metrics.gauge(
    "notification_queue_ratio",
    "The part of the database server's queue of notifications that is full.",
    () => status().queueUsage,
  );
}

/** Replicas are labelled by host and port. */
function registerReplicas(metrics: Metrics, replicas: Replicas): void {
  const ofEach = (read: (replica: Replica) => number) => () =>
    Object.fromEntries(replicas.all.map((replica) => [replica.name, read(replica)]));
  const lags = ofEach(({ lagMs }) => lagMs / 1_000);
  const rotation = ofEach(({ isInRotation }) => Number(isInRotation));
  const answered = ofEach((replica) => replica.answered);
  const passedOn = ofEach((replica) => replica.passedOn);
  const byPrimary = () => replicas.all.reduce((sum, replica) => sum + replica.passedOn, replicas.withoutReplica);
  metrics.gauge("replica_lag_seconds", "How old the results of a replica are at most.", lags, "replica");
  metrics.gauge("replica_in_rotation", "1 while a replica answers queries.", rotation, "replica");
  metrics.counter(
    "queries_total",
    "Queries, by the server that has answered them.",
    () => ({ ...answered(), primary: byPrimary() }),
    "server",
  );
  metrics.counter(
    "replica_passed_on_total",
    "Queries that a replica could not answer, so that the primary has answered them.",
    passedOn,
    "replica",
  );
}
