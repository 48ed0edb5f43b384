import {
  changeConnection,
  checkConnectionString,
  checkServerUrl,
  replicaUrl,
  serversOf,
  withLoginOf,
  withServer,
} from "@content-service/support/connectionString.ts";
import { parse } from "pg-connection-string";

const login = { user: "api_login", password: "p@ss/w?rd#%" };

describe("changeConnection()", () => {
  test.each([
    "postgres://owner:secret@db.example.com:5433/content",
    "postgres://db.example.com:5433/content?user=owner&password=secret",
    "postgres://owner:secret@elsewhere:1/content?host=db.example.com&port=5433",
    "postgresql://owner@db.example.com:5433/content?password=secret&application_name=x%20y",
    "postgres://owner:secret@/content?host=/var/run/postgresql&port=5433",
    "postgres://owner:secret@%2Fvar%2Frun%2Fpostgresql:5433/content",
    "postgres:///content?host=/var/run/postgresql&user=owner",
    "postgres://owner:secret@[::1]:5433/content?sslmode=disable&options=-c%20geqo%3Doff",
    "postgres:///content",
    "postgres:///content?port=5433",
    "postgres://owner:se%20cret@h/con%20tent",
  ])("replaces nothing but the login and the database: %s", (given) => {
    expect({ ...parse(changeConnection(given, login)) }).toEqual({ ...parse(given), ...login });
    expect({ ...parse(changeConnection(given, { database: "oth er" })) }).toEqual({
      ...parse(given),
      database: "oth er",
    });
  });
});

test.each(["mysql://h/db", "localhost", "postgres://h", "postgres://u:p@:5433/db", "/var/run/postgresql db"])(
  "checkConnectionString() refuses %s",
  (given) =>
    expect(() => checkConnectionString(given)).toThrow("not a connection string. Write postgres://user:password@"),
);

describe("replicaUrl() takes what is missing from the primary's connection string:", () => {
  const primary = "postgres://api:p%40ss@primary:5433/content?sslmode=verify-full&application_name=x";
  const tls = { ssl: {}, sslmode: "verify-full" };
  test.each([
    [
      "postgres://replica-1",
      { host: "replica-1", port: "", user: "api", password: "p@ss", database: "content", ...tls },
    ],
    ["postgres://replica-1:5434/", { port: "5434", database: "content", ...tls }],
    ["postgres://reader@replica-1/other", { user: "reader", password: "", database: "other", ...tls }],
    ["postgres://replica-1/?sslmode=disable", { database: "content", sslmode: "disable", ssl: false }],
  ])("%s", (given, expected) => {
    const parsed = parse(replicaUrl(given, primary));
    expect(parsed).toMatchObject(expected);
    expect(parsed).not.toHaveProperty("application_name");
  });
});

const several = "postgres://owner:p%40ss@h1:5433,[::1],h3:/content?sslmode=disable";

describe("several servers:", () => {
  const written = checkConnectionString(several);

  test("each has its port, and the one that accepts writes is meant", () => {
    expect(serversOf(written)).toEqual([
      { host: "h1", port: 5433 },
      { host: "::1", port: 5432 },
      { host: "h3", port: 5432 },
    ]);
    expect({ ...parse(written) }).toMatchObject({
      user: "owner",
      password: "p@ss",
      target_session_attrs: "read-write",
    });
    expect(checkConnectionString(written)).toBe(written);
  });

  test("another login and database leave them as they are", () => {
    const changed = changeConnection(written, { ...login, database: "other" });
    expect(serversOf(changed)).toEqual(serversOf(written));
    expect({ ...parse(changed) }).toEqual({ ...parse(written), ...login, database: "other" });
  });

  test("one of them alone is a connection string, too", () => {
    const alone = withServer(written, { host: "::1", port: 5432 });
    expect({ ...parse(alone) }).toMatchObject({ host: "::1", port: "5432", database: "content", sslmode: "disable" });
    expect(parse(alone)).not.toHaveProperty("target_session_attrs");
  });

  test("they may be without a login, where that of requests is meant", () => {
    const complete = withLoginOf(checkServerUrl("postgres://h1,h2:5433"), written);
    expect(serversOf(complete)).toEqual([
      { host: "h1", port: 5432 },
      { host: "h2", port: 5433 },
    ]);
    expect({ ...parse(complete) }).toMatchObject({ user: "owner", password: "p@ss", database: "content" });
  });

  test.each([
    ["postgres://h1,h2/db?port=1,2,3", "names 2 hosts and 3 ports"],
    ["postgres://h1,h2/db?target_session_attrs=standby", "target_session_attrs=standby is not supported"],
  ])("%s is refused", (given, reason) => expect(() => checkConnectionString(given)).toThrow(reason));
});
