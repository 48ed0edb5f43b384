import { afterAll, beforeAll } from "@jest/globals";
import { pino } from "pino";
import { type App, type AppSettings, startApp } from "../../src/app.ts";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { defaultSettings, type QueryLimits, type SocketLimits } from "../../src/settings.ts";
import { type TestDatabase, useDatabase } from "./database.ts";

export const testSecret = "a secret of thirty-two bytes or more, for tests";

/** Whom test/support/people.sql has made. */
export const people = { ada: "1", bob: "2", admin: "3", mallory: "4" } as const;
export type Person = keyof typeof people | "nobody";

export interface Answer {
  data?: any;
  errors?: {
    message: string;
    path?: (string | number)[];
    extensions: Record<string, any>;
  }[];
}

export interface TestService {
  database: TestDatabase;
  app: App;
  /** The endpoint's address. */
  url: string;
  /** What the service has logged so far, a line each. */
  logged: Record<string, unknown>[];
  /** Waits until the service logs these words once more. */
  told(words: string): Promise<void>;
  /** Asks over HTTP, with a token of that person's. */
  ask(query: string, options?: { variables?: Record<string, unknown>; as?: Person }): Promise<Answer>;
  tokenOf(person: Exclude<Person, "nobody">): Promise<string>;
  headersOf(person: Person): Promise<Record<string, string>>;
}

export const testSettings: Omit<AppSettings, "apiDatabaseUrl"> = {
  ...defaultSettings,
  poolSize: 5,
  port: 0,
  token: { secret: testSecret },
};

/** Settings of one test; of the groups, the members that differ from the defaults. */
type TestSettings = Partial<Omit<AppSettings, "queryLimits" | "socketLimits">> & {
  queryLimits?: Partial<QueryLimits>;
  socketLimits?: Partial<SocketLimits>;
};

/** A service of this test file's own, on a database of its own and any free port. */
export function useService({ queryLimits, socketLimits, ...settings }: TestSettings = {}): TestService {
  const service = { database: useDatabase(), logged: [] } as unknown as TestService;
  const listeners = new Set<(line: Record<string, unknown>) => void>();
  const sign = createTokenSigner({ secret: testSecret });

  beforeAll(async () => {
    const log = pino({ level: "info" }, { write: hear });
    const limits = {
      queryLimits: { ...testSettings.queryLimits, ...queryLimits },
      socketLimits: { ...testSettings.socketLimits, ...socketLimits },
    };
    const { apiUrl: apiDatabaseUrl } = service.database;
    service.app = await startApp({ ...testSettings, ...limits, apiDatabaseUrl, ...settings }, log);
    service.url = `${service.app.url}/graphql`;
  });
  afterAll(() => service.app?.close());

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
