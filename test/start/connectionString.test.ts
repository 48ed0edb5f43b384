import { describe, expect, test } from "@jest/globals";
import { parse } from "pg-connection-string";
import { changeConnection, checkConnectionString } from "../../src/support/connectionString.ts";

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
