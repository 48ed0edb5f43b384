import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { startDatabase } from "@content-service/testing/database.ts";
import pg from "pg";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { parseExactly } from "../support/exactCodecs.ts";

const ends: (() => Promise<unknown>)[] = [];
/** What was opened last is closed first. */
after(async () => {
  for (const end of ends.reverse()) await end();
});

/** The connection string of a database with the tables of shop.sql. It is gone after the file's tests. */
export async function useShop(): Promise<string> {
  const database = await startDatabase(await readFile(new URL("./shop.sql", import.meta.url), "utf8"));
  ends.push(async () => database[Symbol.asyncDispose]());
  return database.url;
}

export interface Served {
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<Result>;
  /** The statements of the last request, without those that begin and end its transaction. */
  statements: string[];
}

export interface Result {
  /** The response, with its keys and the digits of its numbers as they were. */
  text: string;
  data: any;
  errors?: any[];
}

/** Serves a preset by Grafserv, with the role `shop_visitor` and a setting from a header. Stops after the file's tests. */
export async function serve(url: string, preset: GraphileConfig.Preset): Promise<Served> {
  const pool = new pg.Pool({ connectionString: url, options: "-c TimeZone=UTC" });
  const statements: string[] = [];
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const { text } = args[0] as { text: string };
      if (text && !/^(begin|commit|rollback|savepoint|release)|set_config\(el/.test(text)) statements.push(text);
      return query(...args);
    }) as never;
  });
  const instance = postgraphile({
    extends: [preset],
    pgServices: [makePgService({ pool: pool as never, schemas: ["shop"] })],
    grafserv: { graphqlPath: "/graphql" },
    grafast: {
      context: ({ node }: { node?: { req: { headers: Record<string, string> } } }) => ({
        pgSettings: { role: "shop_visitor", "shop.is_staff": node?.req.headers["x-staff"] ?? "" },
      }),
    },
  } as never);
  const server = createServer();
  await instance.createServ(grafserv).addTo(server);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  ends.push(async () => {
    await new Promise((closed) => server.close(closed));
    await instance.release();
    await pool.end();
  });
  const { port } = server.address() as AddressInfo;
  const served: Served = {
    statements,
    async ask(query, variables = {}, headers = {}) {
      statements.length = 0;
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const text = await response.text();
      return { ...(JSON.parse(text) as Omit<Result, "text">), text: JSON.stringify(parseExactly(text)) };
    },
  };
  // The first request waits for the schema, which is made from the catalogue.
  await served.ask("{ __typename }");
  return served;
}
