import { createHmac } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { pino } from "pino";
import { createRoles, ensureRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import type { EmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { temporaryDirectory } from "../../tools/support/dataDirectory.ts";
import { post } from "../../tools/support/post.ts";
import { startThrowAwayPostgres } from "../../tools/support/throwAwayPostgres.ts";
import { runDb } from "../support/runDb.ts";
import { startHere } from "../support/startHere.ts";
import { databaseUrl, dropDatabase, onServer } from "../support/template.ts";
import { until } from "../support/until.ts";

/* Logins of the service, on a server of this file's own: roles belong to the whole server. */
const directory = temporaryDirectory("roles");
const common = {
  DATA_DIR: directory,
  JWT_SECRET: "a secret of thirty-two bytes or more, for tests",
  DATABASE_POOL_SIZE: "2",
};
let server: EmbeddedPostgres;
/** The connection string of the owner, without a login: `postgres://127.0.0.1:5432/one`. */
let bare: URL;

const ownerOf = (name: string) => `postgres://owner:owned@127.0.0.1:${server.port}/${name}`;
const onOne = (sql: string) => onServer(databaseUrl(server.url, "one"), sql);

async function rowsOf<Row extends pg.QueryResultRow>(connectionString: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

const passwordHash = async () => {
  const [row] = await rowsOf<{ rolpassword: string }>(
    server.url,
    "select rolpassword from pg_authid where rolname = 'api_login'",
  );
  return row?.rolpassword;
};

/** The message of a start that is refused: one line. */
async function refusal(environment: Record<string, string>): Promise<string> {
  const error = await startHere({ ...common, ...environment }).then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(OperatorError);
  expect(error.message.split("\n")).toHaveLength(1);
  return error.message;
}

/** Starts a service, and @returns the logins of its connections. */
async function loginsOf(environment: Record<string, string>): Promise<string[]> {
  await using service = await startHere({ ...common, ...environment });
  expect(await post(service.url, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
  const rows = await rowsOf<{ usename: string }>(
    server.url,
    "select distinct usename from pg_stat_activity where datname = 'one' and application_name like 'content-service%'",
  );
  return rows.map(({ usename }) => usename);
}

beforeAll(async () => {
  server = await startThrowAwayPostgres(join(directory, "postgres"));
  await onServer(server.url, "create role owner login createrole password 'owned'");
  await onServer(server.url, "create role stranger login createrole password 'strange'");
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

beforeEach(() => {
  bare = new URL(`postgres://127.0.0.1:${server.port}/one`);
});

/** With the roles of its content. */
async function dropAll(): Promise<void> {
  await withClient(server.url, (root) => dropDatabase(root, "one"));
  await onServer(server.url, "drop role if exists web, api_login, api_anonymous, api_member, analyst");
}

const guessed = createHmac("sha256", "").update("the password of api_login").digest("base64url");

async function expectGuessedRefused(): Promise<void> {
  await expect(rowsOf(`postgres://api_login:${guessed}@127.0.0.1:${bare.port}/one`, "select")).rejects.toThrow(
    "password authentication failed",
  );
}

describe("on a server without the roles,", () => {
  beforeEach(() => onServer(server.url, "create database one owner owner"));
  afterEach(dropAll);

  const production = { NODE_ENV: "production", MIGRATE_ON_START: "false" };

  test("a start creates them, requests run as api_login when the owner's login comes from query parameters; and starts in production with MIGRATE_ON_START=false need no owner's login, and check that the migrations have run", async () => {
    expect(await loginsOf({ DATABASE_URL: `${bare.href}?user=owner&password=owned` })).toEqual(["api_login"]);
    await expectGuessedRefused();
    const environment = { ...production, API_DATABASE_URL: await ensureRoles(ownerOf("one")) };
    await using service = await startHere({ ...common, ...environment });
    expect(await post(service.url, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });
    await onOne(
      "delete from graphile_migrate.migrations where filename = (select max(filename) from graphile_migrate.migrations)",
    );
    expect(await refusal(environment)).toMatch(/^The database has not run 0000\d\d-\S+\. Run npm run db:migrate/);
    await onOne("drop schema graphile_migrate cascade");
    expect(await refusal(environment)).toMatch(/^The database has not run 000001-\S+\. Run npm run db:migrate with/);
  });

  test("an owner without the right to create them is refused", async () => {
    await onServer(server.url, "alter role owner nocreaterole");
    try {
      expect(await refusal({ DATABASE_URL: ownerOf("one") })).toMatch(
        /^The owner in DATABASE_URL may not prepare the roles/,
      );
    } finally {
      await onServer(server.url, "alter role owner createrole");
    }
  });

  test("instances that start together agree on the password of api_login", async () => {
    const urls = await Promise.all(Array.from({ length: 4 }, () => ensureRoles(ownerOf("one"))));
    expect(new Set(urls).size).toBe(1);
  });

  test("a login that may not connect once the migrations have run is refused in one sentence", async () => {
    const [DATABASE_URL, API_DATABASE_URL] = [ownerOf("one"), `postgres://web:webbed@127.0.0.1:${bare.port}/one`];
    await withClient(DATABASE_URL, createRoles);
    await onOne("create role web login password 'webbed'");
    expect(await refusal({ DATABASE_URL, API_DATABASE_URL })).toBe(
      'The login of requests may not use the database: permission denied for database "one". Let its owner run: ' +
        "grant api_login to … (docs/operators.md, Roles)",
    );
  });

  test.each([
    [
      "MIGRATE_ON_START=false needs API_DATABASE_URL",
      () => production,
      "API_DATABASE_URL: MIGRATE_ON_START=false needs it",
    ],
    [
      "API_DATABASE_URL alone is refused: the migrations need the owner",
      () => ({ API_DATABASE_URL: ownerOf("one") }),
      "DATABASE_URL: the owner's login runs the migrations.",
    ],
  ])("%s", async (_what, environment, fault) => {
    await expect(startHere({ ...common, ...environment() })).rejects.toThrow(`  ${fault}`);
  });

  test("db:status writes nothing: it uses no transaction id of the server", async () => {
    expect(await status()).toContain("Committed, for npm run db:migrate to run:\n  000001-");
  });
});

describe("on a server with the roles and a migrated database:", () => {
  beforeAll(async () => {
    await onServer(server.url, "create database one owner owner");
    await withClient(ownerOf("one"), createRoles);
    await migrate(ownerOf("one"));
    await migrateCurrent(ownerOf("one"));
  });
  afterEach(() => onServer(server.url, "alter role api_login nologin password null connection limit -1"));
  afterAll(dropAll);

  describe("the password of api_login", () => {
    test.each<[string, () => Record<string, string>]>([
      [
        "a query parameter for the host",
        () => ({ DATABASE_URL: `postgres://owner:owned@/one?host=127.0.0.1&port=${bare.port}` }),
      ],
      ["PGPASSWORD", () => ({ DATABASE_URL: ownerOf("one").replace(":owned", ""), PGPASSWORD: "owned" })],
      [
        ".pgpass",
        () => {
          const PGPASSFILE = join(directory, "pgpass");
          writeFileSync(PGPASSFILE, "*:*:*:owner:owned\n", { mode: 0o600 });
          return { DATABASE_URL: ownerOf("one").replace(":owned", ""), PGPASSFILE };
        },
      ],
    ])("requests run as api_login when the owner's login comes from %s", async (_source, environment) => {
      const { DATABASE_URL = "", ...ofProcess } = environment();
      // node-postgres reads its variables from the process.
      Object.assign(process.env, ofProcess);
      try {
        const apiUrl = await ensureRoles(DATABASE_URL);
        await migrate(DATABASE_URL);
        expect(await rowsOf(apiUrl, "select current_user::text as login")).toEqual([{ login: "api_login" }]);
        await expectGuessedRefused();
      } finally {
        for (const name of Object.keys(ofProcess)) delete process.env[name];
      }
    });

    test("is not derived from an owner without a password; API_DATABASE_URL is the way out", async () => {
      await withTrust(async () => {
        const DATABASE_URL = ownerOf("one").replace(":owned", "");
        expect(await refusal({ DATABASE_URL })).toMatch(/^DATABASE_URL has no password .* Set API_DATABASE_URL/);
        expect(await rowsOf(server.url, "select from pg_roles where rolname = 'api_login' and rolcanlogin")).toEqual(
          [],
        );
        await onOne("alter role api_login login password 'chosen'");
        const API_DATABASE_URL = `postgres://api_login:chosen@127.0.0.1:${bare.port}/one`;
        expect(await loginsOf({ DATABASE_URL, API_DATABASE_URL })).toEqual(["api_login"]);
      });
    });

    test("is not reset by another owner's database on the same server", async () => {
      const apiUrl = await ensureRoles(ownerOf("one"));
      const hash = await passwordHash();
      await onServer(server.url, "create database two owner stranger");
      const DATABASE_URL = `postgres://stranger:strange@127.0.0.1:${bare.port}/two`;
      expect(await refusal({ DATABASE_URL })).toMatch(
        /^The role api_login of this server has a password .* API_DATABASE_URL/,
      );
      expect(await passwordHash()).toBe(hash);
      await rowsOf(apiUrl, "select");
      await onServer(server.url, "drop database two");
    });

    test("follows a changed password of the owner, once the role cannot log in", async () => {
      await ensureRoles(ownerOf("one"));
      await onServer(server.url, "alter role owner password 'changed'");
      const DATABASE_URL = ownerOf("one").replace("owned", "changed");
      try {
        expect(await refusal({ DATABASE_URL })).toContain("run: alter role api_login nologin; then start again");
        await rowsOf(DATABASE_URL, "alter role api_login nologin");
        await rowsOf(await ensureRoles(DATABASE_URL), "select");
      } finally {
        await onServer(server.url, "alter role owner password 'owned'");
      }
    });

    test("can be changed by whoever logs in as api_login; the next start reports it", async () => {
      const apiUrl = await ensureRoles(ownerOf("one"));
      await rowsOf(apiUrl, "alter role api_login password 'hijacked'");
      expect(await refusal({ DATABASE_URL: ownerOf("one") })).toContain("alter role api_login nologin");
    });
  });

  describe("the login of API_DATABASE_URL", () => {
    let DATABASE_URL: string;
    let API_DATABASE_URL: string;

    beforeEach(async () => {
      DATABASE_URL = ownerOf("one");
      API_DATABASE_URL = `postgres://web:webbed@127.0.0.1:${bare.port}/one`;
      await onOne("create role web login password 'webbed' in role api_login");
    });
    afterEach(() => onOne("drop owned by web cascade; drop role web"));

    test("may be another role that is a member of api_login", async () => {
      expect(await loginsOf({ DATABASE_URL, API_DATABASE_URL })).toEqual(["web"]);
    });

    test("is refused when it is the owner, written in whatever way", async () => {
      for (const url of [DATABASE_URL, `${bare.href}?user=owner&password=owned`]) {
        expect(await refusal({ DATABASE_URL, API_DATABASE_URL: url })).toMatch(
          /^The login owner must not serve requests: it may create roles, owns parts of this database/,
        );
      }
      expect(await refusal({ DATABASE_URL, API_DATABASE_URL: databaseUrl(server.url, "one") })).toContain(
        "it is a superuser",
      );
    });

    test.each([
      ["bypasses row-level security", "alter role web bypassrls"],
      ["may create roles", "alter role web createrole"],
      ["owns parts of this database", "create schema mine authorization web"],
      ["can become pg_read_all_data", "grant pg_read_all_data to web"],
      ["cannot become api_anonymous and api_member", "revoke api_login from web; grant connect on database one to web"],
      ["runs as api_member", "alter role web set role = api_member"],
    ])("is refused when it %s", async (fault, sql) => {
      await onOne(sql);
      expect(await refusal({ DATABASE_URL, API_DATABASE_URL })).toContain(
        `The login web must not serve requests: it ${fault}. Name another login in API_DATABASE_URL`,
      );
    });

    test.each([
      [
        "a wrong password",
        (url: string) => url.replace("webbed", "wrong"),
        /password authentication failed for user "web"$/,
      ],
      [
        "a database that does not exist",
        (url: string) => url.replace("/one", "/none"),
        /database "none" does not exist$/,
      ],
    ])("is named in the message about %s", async (_fault, change, message) => {
      const output = await refusal({ DATABASE_URL, API_DATABASE_URL: change(API_DATABASE_URL) });
      expect(output).toMatch(/^API_DATABASE_URL: The database at 127\.0\.0\.1 refuses the connection: /);
      expect(output).toMatch(message);
    });
  });

  describe("too few connections", () => {
    async function untilReadiness(url: string, expected: object): Promise<void> {
      await until(async () => (await (await fetch(`${url}/readyz`)).text()) === JSON.stringify(expected));
    }

    test("a start waits for one, and a service recovers; /readyz says why", async () => {
      await ensureRoles(ownerOf("one"));
      await onOne("alter role api_login connection limit 0");
      const listening = Promise.withResolvers<string>();
      const write = (line: string) => listening.resolve(JSON.parse(line).url);
      const starting = startHere({ ...common, DATABASE_URL: ownerOf("one") }, pino({}, { write }));
      const url = await listening.promise;
      const reason = 'the database cannot be reached yet: too many connections for role "api_login"';
      await untilReadiness(url, { status: "not ready", reason });
      await onOne("alter role api_login connection limit -1");
      await using _service = await starting;
      await untilReadiness(url, { status: "ready" });

      const terminate = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_login'";
      await onOne(`alter role api_login connection limit 0; ${terminate}`);
      await untilReadiness(url, {
        status: "not ready",
        reason: "the database has no free connection for the service",
      });
      await onOne("alter role api_login connection limit -1");
      await untilReadiness(url, { status: "ready" });
      expect(await post(`${url}/graphql`, "{ postsCount }")).toEqual({ data: { postsCount: 0 } });

      await onOne(`alter role api_login password 'another'; ${terminate}`);
      await untilReadiness(url, { status: "not ready", reason: "the database refuses the service's login" });
    });
  });

  test("db:status writes nothing, whether api_login has another password, or none", async () => {
    expect(await status()).toContain("Every committed migration has run.");
    await onOne("alter role api_login login password 'another'");
    expect(await status()).toContain("Every committed migration has run.");
  });

  test("on a database of the fifty migrations that the present ones replace", async () => {
    await onOne(
      "set session_replication_role = replica; update graphile_migrate.migrations set hash = 'sha1:ee1347aaa109a09977fc58c8a4c347dd7ac39ec2' where filename = '000001.sql'",
    );
    expect(await status()).toMatch(/This database was made by the fifty migrations .* npm run export/);
  });
});

const nextId = () => rowsOf(server.url, "select pg_snapshot_xmax(pg_current_snapshot())");

async function status(): Promise<string> {
  const before = await nextId();
  const { output } = await runDb(ownerOf("one"), ["status"]);
  expect(await nextId()).toEqual(before);
  return output;
}

/** Lets the owner log in without a password during `use`. */
async function withTrust(use: () => Promise<void>): Promise<void> {
  const file = join(server.dataDir, "cluster", "data", "pg_hba.conf");
  const [before] = await rowsOf<{ text: string }>(server.url, "select pg_read_file('pg_hba.conf') as text");
  writeFileSync(file, `host all owner 127.0.0.1/32 trust\n${before?.text}`);
  await onServer(server.url, "select pg_reload_conf()");
  try {
    await use();
  } finally {
    writeFileSync(file, before?.text ?? "");
    await onServer(server.url, "select pg_reload_conf()");
  }
}
