import { LRUCache } from "lru-cache";
import { type App, type AppSettings, startApp } from "../../src/app.ts";
import type { MadeSchema } from "../../src/graphql/schema/buildSchema.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { openLog } from "../../src/observe/openLog.ts";
import { defaultSettings, type QueryLimits, type SocketLimits } from "../../src/settings.ts";
import type { Answer } from "../../tools/support/post.ts";
import { type TestDatabase, useDatabase } from "./database.ts";
import { until } from "./until.ts";

export type { Answer };

export const testSecret = "a secret of thirty-two bytes or more, for tests";

/** The ids of the users in test/support/people.sql, and of those whom migrations/permissions.sql and test/permissions/states.sql add. */
export const people = {
  ada: "1",
  bob: "2",
  admin: "3",
  mallory: "4",
  editor: "6",
  moderator: "7",
  contributor: "8",
  copyEditor: "9",
} as const;
export type Person = keyof typeof people | "nobody";

export interface TestService {
  database: TestDatabase;
  app: App;
  /** The URL of the endpoint. */
  url: string;
  /** The lines that the service has logged so far. */
  logged: Record<string, unknown>[];
  /** Waits until the service logs this message again. */
  told(words: string): Promise<void>;
  /** Sends a query over HTTP, with a token of that person. */
  ask(query: string, options?: { variables?: Record<string, unknown>; as?: Person }): Promise<Answer>;
  tokenOf(person: Exclude<Person, "nobody">): Promise<string>;
  headersOf(person: Person): Promise<Record<string, string>>;
}

export const testSettings: Omit<AppSettings, "apiDatabaseUrl"> = {
  ...defaultSettings,
  poolSize: 3,
  // A machine that runs tests on all cores may keep a start waiting for longer than a user would wait.
  poolTimeoutMs: 20_000,
  // Tests call it themselves.
  maintenanceMinutes: 0,
  // It looks for events every few seconds, which would be among the statements that a test counts.
  webhooks: false,
  // It takes most of what the start of a service costs in the database. test/maintenance/selfCheck starts the service with it.
  selfCheck: false,
  port: 0,
  token: { secret: testSecret },
};

/** Builds each schema of one server once: two states of a catalogue there never have the same version. */
export function reuseSchemas(): NonNullable<AppSettings["reuseSchema"]> {
  const schemas = new LRUCache<string, Promise<MadeSchema>>({ max: 4 });
  return (version = "", make) => {
    const made = schemas.get(version) ?? make();
    schemas.set(version, made);
    made.catch(() => schemas.delete(version));
    return made;
  };
}

/** For services on the databases of useDatabase(). */
export const reuseSchema = reuseSchemas();

/** Settings of one test; of the groups, the members that differ from the defaults. */
type TestSettings = Partial<Omit<AppSettings, "queryLimits" | "socketLimits">> & {
  queryLimits?: Partial<QueryLimits>;
  socketLimits?: Partial<SocketLimits>;
};

/** Resolves when the service has `count` subscriptions. They receive every message from then on. */
export function untilListening(count: number, app: App): Promise<void> {
  return until(() => app.subscriptions === count);
}

/**
 * Starts a service for this test file, or the surrounding block, on its own database and any free port.
 *
 * @param prepare makes further settings, once there is a database
 */
export function useService(
  { queryLimits, socketLimits, ...settings }: TestSettings = {},
  prepare: (database: TestDatabase) => Promise<Partial<AppSettings>> = async () => ({}),
): TestService {
  const service = { logged: [], database: useDatabase() } as unknown as TestService;
  const listeners = new Set<(line: Record<string, unknown>) => void>();
  const sign = createTokenSigner({ secret: testSecret });

  beforeAll(async () => {
    const log = openLog("info", { write: hear });
    const limits = {
      queryLimits: { ...testSettings.queryLimits, ...queryLimits },
      socketLimits: { ...testSettings.socketLimits, ...socketLimits },
    };
    const { apiUrl: apiDatabaseUrl } = service.database;
    const prepared = await prepare(service.database);
    // Of a start alone: schemas of migrations, which no other file has, would take the place of the one that most files share.
    const reuse: typeof reuseSchema = (version, make) => (service.app ? make() : reuseSchema(version, make));
    const all = { ...testSettings, ...limits, apiDatabaseUrl, reuseSchema: reuse, ...settings, ...prepared };
    service.app = await startApp(all, log);
    service.database.ends.defer(async () => {
      await service.app.close();
      // Modules stay in their worker to its end. Without this, each file's schema would, too.
      Object.assign(service, { app: undefined, logged: [] });
    });
    service.url = `${service.app.url}/graphql`;
  });

  function hear(text: string): void {
    const line = JSON.parse(text);
    service.logged.push(line);
    for (const listener of listeners) listener(line);
  }
  service.told = (words) =>
    new Promise((resolve) => {
      const listener = ({ msg }: Record<string, unknown>) => {
        if (msg !== words) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  service.tokenOf = async (person) => (await sign?.(people[person]))?.token ?? "";
  service.headersOf = async (person) =>
    person === "nobody" ? {} : { authorization: `Bearer ${await service.tokenOf(person)}` };
  service.ask = async (query, { variables = {}, as = "nobody" } = {}) => {
    const response = await fetch(service.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(await service.headersOf(as)) },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as Answer;
  };
  return service;
}
