import { describe, expect, test } from "@jest/globals";
import { parse } from "pg-connection-string";
import { changeConnection, checkConnectionString, replicaUrl } from "../../src/support/connectionString.ts";

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
