/** From the primary process to a worker. */
export interface ToWorker {
  /** The connection string of the API's login, once the database is ready. */
  apiDatabaseUrl?: string;
  /** Why the service is not ready yet. */
  startingReason?: string;
  /** Whether all workers are ready. */
  areReady?: boolean;
  /** The metrics of all workers together, or why there are none. */
  metrics?: { text: string } | { fault: string };
}

/** From a worker to the primary process. */
export interface ToPrimary {
  /** The URL of a worker that is ready. */
  url?: string;
  asksMetrics?: boolean;
}

/** Other messages between the processes are those of libraries. */
export interface Envelope<Content> {
  contentService?: Content;
}
