import assert from "node:assert/strict";
import { test } from "node:test";
import { printSchema } from "graphql";
import pg from "pg";
import { makePgService } from "postgraphile/adaptors/pg";
import preset, { makeSchema, unmappedObjectsOf } from "../index.ts";
import { useShop } from "./support.ts";

/* Objects that clash, or that GraphQL cannot have, beside others. */
const url = await useShop();

/** No statement needs another one, so that each order of them is possible. */
const statements = [
  "create table odd.client (id int primary key)",
  "create table odd.clients (id int primary key, parent int references odd.clients)",
  'create table odd."Clients" (id int primary key)',
  "create table odd.subscriptions (id int primary key)",
  "create table odd.nodes (id int primary key, node_id int, parent int references odd.nodes, reports_to int references odd.nodes)",
  'create table odd."期间" (id int primary key)',
  "create view odd.xml as select 1 as id",
  "create function odd.client() returns int language sql stable as 'select 1'",
  "create function odd.subscription() returns void language sql as 'select'",
  "create type odd.line as enum ('a b', 'a-b')",
  "create domain odd.timestamp as text",
  "comment on schema odd is 'Odd.'",
];

async function build(order: readonly string[]) {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`drop schema if exists odd cascade; create schema odd; ${order.join(";")}`);
  await owner.end();
  const pgServices = [makePgService({ connectionString: url, schemas: ["odd"] })];
  try {
    const { schema } = await makeSchema({ extends: [preset], pgServices });
    return { text: printSchema(schema), leftOut: unmappedObjectsOf(schema).map(({ message }) => message) };
  } finally {
    for (const { release } of pgServices) await release?.();
  }
}

test("names do not depend on the order in which objects were made", async () => {
  const first = await build(statements);
  const last = await build(statements.toReversed());
  assert.equal(last.text, first.text);
  assert.deepEqual(last.leftOut.toSorted(), first.leftOut.toSorted());
  assert.match(first.text, /\bclientTable\(id: Int!\): ClientTable\b/);
  assert.ok(first.leftOut.includes("odd.subscription is not in the API."));
});

test("a wrong smart tag is ignored and listed, and its neighbours count", async () => {
  const { text, leftOut } = await build([
    "create table odd.crates (id int primary key, size int not null)",
    "comment on table odd.crates is E'@listOrder SMALLEST: size, id\\n@listOrder LARGEST: sise desc\\n@unique size'",
  ]);
  assert.deepEqual(leftOut, ["The smart tag @listOrder LARGEST: sise desc of the table odd.crates is ignored."]);
  assert.match(text, /\bcrateBySize\(/);
  assert.match(text, /\bSMALLEST\b/);
});
