import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type ServerAddress, serversOf, sessionAttributesOf, withServer } from "./connectionString.ts";

/** The server that fitted last is asked first. After this time, the others are asked as well. */
const headStartMs = 250;
/** The pause before a server that has refused is asked again, while another one has not answered yet. */
const pauseMs = 250;
const respondWithinMs = 5_000;
/** How long a client waits for a response before it looks whether another server is the primary. */
const watchMs = 500;

/**
 * A client of the server that fits `target_session_attrs`, as in libpq. node-postgres itself knows one server only. Where the
 * connection string leaves no choice, this is a plain client.
 *
 * Before it connects, a short connection to each server asks whether that server fits; clients that connect at the same time
 * share the response. When another server is the primary, the clients of the former one are cut: it cannot write any more, or
 * is frozen and would never answer.
 */
export class MultiHostClient extends pg.Client {
  readonly #servers: Servers | undefined;

  constructor(config: pg.ClientConfig = {}) {
    super(config);
    this.#servers = serversFor(config.connectionString ?? "");
  }

  /** Whether another server may take the place of this one. */
  get hasChoice(): boolean {
    return this.#servers !== undefined;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error | null, client?: pg.Client) => void): void;
  override connect(callback?: (error: Error | null, client?: pg.Client) => void): Promise<pg.Client> | undefined {
    if (!this.#servers) return callback ? (super.connect(callback as never) as undefined) : super.connect();
    const connecting = this.#connect(this.#servers);
    if (!callback) return connecting;
    connecting.then(
      () => callback(null, this),
      (error) => callback(error),
    );
    return undefined;
  }

  /**
   * Finds out every half a second whether another server is the primary by now, until the timer is cleared. For as long as the
   * client waits for a response: a frozen server ends no connection.
   */
  watchServers(): NodeJS.Timeout | undefined {
    const servers = this.#servers;
    return servers && setInterval(() => servers.find().catch(() => {}), watchMs);
  }

  async #connect(servers: Servers): Promise<pg.Client> {
    // A time-out of the pool destroys the stream, and expects the connection to fail.
    const { stream } = this.connection;
    const { promise: closed, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(new Error("Connection terminated before it was opened"));
    stream.once("close", giveUp);
    try {
      Object.assign(this, await Promise.race([servers.find(), closed]));
    } finally {
      stream.off("close", giveUp);
    }
    servers.clients.add(this);
    this.once("end", () => servers.clients.delete(this));
    return super.connect();
  }
}

/** The connection string for the server that fits, for programs that know one server only. */
export async function ofOneServer(connectionString: string): Promise<string> {
  const server = await serversFor(connectionString)?.find();
  return server ? withServer(connectionString, server) : connectionString;
}

const known = new Map<string, Servers>();

/** The servers of a connection string, shared by all its clients; undefined if it leaves no choice. */
function serversFor(connectionString: string): Servers | undefined {
  const servers = serversOf(connectionString);
  const attributes = sessionAttributesOf(connectionString) ?? "any";
  if (servers.length === 1 && attributes === "any") return undefined;
  const shared = known.get(connectionString) ?? new Servers(connectionString, servers, attributes);
  known.set(connectionString, shared);
  return shared;
}

class Servers {
  /** The clients that are connected. */
  readonly clients = new Set<pg.Client>();
  readonly #connectionString: string;
  readonly #servers: readonly ServerAddress[];
  readonly #attributes: string;
  /** The server that fitted last. */
  #last: ServerAddress | undefined;
  #finding: Promise<ServerAddress> | undefined;

  constructor(connectionString: string, servers: readonly ServerAddress[], attributes: string) {
    this.#connectionString = connectionString;
    this.#servers = servers;
    this.#attributes = attributes;
  }

  /** @throws when every server has refused, or has not answered in time */
  find(): Promise<ServerAddress> {
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return this.#finding;
  }

  async #find(): Promise<ServerAddress> {
    const found = Promise.withResolvers<ServerAddress>();
    const search = new AbortController();
    const refused = new AbortController();
    const refusals = new Map<ServerAddress, Error>();
    const ask = async (server: ServerAddress) => {
      if (this.#last && server !== this.#last)
        await delay(headStartMs, undefined, { signal: refused.signal }).catch(() => {});
      while (!search.signal.aborted) {
        try {
          await this.#ask(server, search.signal);
          found.resolve(server);
        } catch (error) {
          refusals.set(server, error as Error);
          refused.abort();
          if (refusals.size === this.#servers.length) found.reject(refusal(refusals));
          await delay(pauseMs);
        }
      }
    };
    for (const server of this.#servers) void ask(server);
    try {
      this.#last = await found.promise;
    } finally {
      search.abort();
    }
    if (this.#attributes !== "any") this.#cutOthers(this.#last);
    return this.#last;
  }

  /** @throws when the server does not fit */
  async #ask(server: ServerAddress, signal: AbortSignal): Promise<void> {
    const client = new pg.Client({
      connectionString: withServer(this.#connectionString, server),
      application_name: "search for the primary",
      connectionTimeoutMillis: respondWithinMs,
    });
    client.on("error", () => {});
    const cut = () => client.connection.stream.destroy();
    const tooLate = setTimeout(cut, respondWithinMs);
    signal.addEventListener("abort", cut);
    try {
      await client.connect();
      // Not what the server reports when a connection begins: a pooler in front of it may repeat what was so once.
      const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(
        `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as "readOnly"`,
      );
      const { standby, readOnly } = rows[0] as (typeof rows)[number];
      if (standby && this.#attributes !== "any") throw new Error("is a standby");
      if (readOnly && this.#attributes === "read-write") throw new Error("is read-only");
    } finally {
      clearTimeout(tooLate);
      signal.removeEventListener("abort", cut);
      client.end().catch(() => {});
    }
  }

  #cutOthers({ host, port }: ServerAddress): void {
    for (const client of this.clients) {
      if (client.host === host && client.port === port) continue;
      client.connection.stream.destroy(new Error("Connection terminated: another server is the primary"));
    }
  }
}

function refusal(refusals: ReadonlyMap<ServerAddress, Error>): Error {
  const errors = [...refusals.values()];
  // A wrong password, say: it would be the same at the next attempt.
  const final = errors.find((error) => error instanceof pg.DatabaseError && !/^(53|57P0)/.test(error.code ?? ""));
  if (final) return final;
  const reasons = [...refusals].map(
    ([{ host, port }, { message }]) => `${host}:${port} ${message || "does not answer"}`,
  );
  return new Error(`The database has no server that accepts writes: ${reasons.join("; ")}`);
}
