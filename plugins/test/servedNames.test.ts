import assert from "node:assert/strict";
import { test } from "node:test";
import { type GraphQLSchema, isObjectType } from "graphql";
import pg from "pg";
import { makePgService } from "postgraphile/adaptors/pg";
import { makePreset, makeSchema, type ServedNames, servedNamesOf, unmappedObjectsOf } from "../index.ts";
import { serve, useShop } from "./support.ts";

/* What a schema has served keeps its names, whatever is added. Each kind of addition is generated from the served names. */
const url = await useShop();

interface Rival {
  /** In SQL, as the list of renamed objects has it. */
  object: RegExp;
  sql: string;
}

const shop = `
  create schema shop;
  create table shop.genre (id int primary key, word text);
  create table shop.makers (id int primary key, name text);
  create table shop.products (id int primary key, maker_id int not null references shop.makers, name text not null, genre_id int references shop.genre);
  create index on shop.products (maker_id);
  create index on shop.products (genre_id);
  create table shop.tags (id int primary key, word text not null unique);
  create table shop.product_tags (product_id int references shop.products, tag_id int references shop.tags, primary key (product_id, tag_id));
  comment on table shop.product_tags is '@manyToMany';
  create index on shop.product_tags (tag_id);
  create function shop.products_label(products shop.products) returns text language sql stable return products.name || '!';
  create function shop.find(word text) returns setof shop.products language sql stable as 'select * from shop.products where name = word';
  create function shop.rename(id int, name text) returns shop.products language sql volatile
    as 'update shop.products p set name = rename.name where p.id = rename.id returning *';
  insert into shop.genre values (1, 'map'); insert into shop.tags values (1, 'old'); insert into shop.makers values (1, 'Ada'), (2, 'Bob');
  insert into shop.products values (1, 1, 'Atlas', 1), (2, 2, 'Globe', 1); insert into shop.product_tags values (1, 1);
  grant usage on schema shop to shop_visitor;
  grant select on all tables in schema shop to shop_visitor`;

const question = `{
  makersList: makers { id name products { id name label tags { word } genre { word products { id } } maker { id } } }
  find(word: "Atlas") { id } tags { word products { id } } product(id: 1) { name }
}`;

async function renew(...statements: string[]): Promise<string[]> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`drop schema if exists shop cascade; ${shop}`);
  const done: string[] = [];
  for (const sql of statements) {
    // A statement may not be possible, as where an object of the name exists.
    if (
      await owner.query(sql).then(
        () => true,
        () => false,
      )
    )
      done.push(sql);
  }
  await owner.query("grant select on all tables in schema shop to shop_visitor");
  await owner.end();
  return done;
}

async function build(servedNames?: ServedNames): Promise<GraphQLSchema> {
  const pgServices = [makePgService({ connectionString: url, schemas: ["shop"] })];
  try {
    return (await makeSchema({ extends: [makePreset(servedNames ? { servedNames } : {})], pgServices })).schema;
  } finally {
    for (const { release } of pgServices) await release?.();
  }
}

await renew();
const first = await build();
const names = servedNamesOf(first);
const answer = (await (await serve(url, makePreset())).ask(question)).text;

const snake = (name: string) => name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
const tables = new Map(
  Object.entries(names).flatMap(([name, object]) =>
    name.startsWith("type ") && /^table /.test(object) ? [[name.slice(5), object.slice(6)]] : [],
  ),
);
/** Types and their fields: `["Product", "shop.products", "maker"]`. */
const fields = Object.keys(names).flatMap((name) => {
  const [type = "", field = ""] = name.split(".");
  const table = tables.get(type);
  return table && field ? [[type, table, field] as const] : [];
});
const roots = Object.keys(names).flatMap((name) => /^(?:Query|Mutation)\.(\w+)$/.exec(name)?.[1] ?? []);
const types = Object.keys(names).flatMap((name) => /^type (\w+)$/.exec(name)?.[1] ?? []);

const rival = (object: string, sql: string): Rival => ({
  object: new RegExp(`${object.replaceAll(".", "\\.")}\\b`),
  sql,
});
const table = (name: string, columns = "id int primary key") => rival(name, `create table ${name} (${columns})`);
const kinds: Record<string, Rival[]> = {
  columns: fields.map(([, of, field]) =>
    rival(`${of}.${snake(field)}`, `alter table ${of} add column ${snake(field)} date default '2000-01-01'`),
  ),
  "foreign keys": fields.map(([, of, field]) =>
    rival(`${of}`, `alter table ${of} add column ${snake(field)}_id int references shop.tags`),
  ),
  "keys of new tables": fields.map(([, of, field]) =>
    table(`shop.${snake(field)}`, `id int primary key, one_id int references ${of}`),
  ),
  "join tables": fields.flatMap(([, of, field], place) => {
    const name = `shop.joint_${place}`;
    const columns = `a int references ${of}, b int constraint joint_${place}_b references shop.makers, primary key (a, b)`;
    return [
      rival(
        name,
        `create table ${name} (${columns}); comment on table ${name} is '@manyToMany';
        comment on constraint joint_${place}_b on ${name} is '@fieldName ${field}'`,
      ),
    ];
  }),
  "plain join tables": [...new Set(fields.map(([, of]) => of))].flatMap((left, i, all) =>
    all.map((right, j) => {
      const name = `shop.between_${i}_${j}`;
      return rival(
        name,
        `create table ${name} (a int references ${left}, b int references ${right}, primary key (a, b));
        comment on table ${name} is '@manyToMany'`,
      );
    }),
  ),
  "keys of join tables": [
    rival("shop.product_tags", "alter table shop.product_tags add column added_by int references shop.makers"),
  ],
  "computed columns": fields.map(([, of, field]) =>
    rival(
      `${of}_${snake(field)}`,
      `create function ${of}_${snake(field)}(${of}) returns int language sql stable as 'select 1'`,
    ),
  ),
  functions: roots.map((field) =>
    rival(
      `shop.${snake(field)}`,
      `create function shop.${snake(field)}() returns int language sql stable as 'select 1'`,
    ),
  ),
  overloads: ["find", "rename", "products_label"].map((name) =>
    rival(`shop.${name}`, `create function shop.${name}(one date) returns int language sql stable as 'select 1'`),
  ),
  tables: [...roots, ...types].flatMap((name) => [table(`shop.${snake(name)}`), table(`shop.${snake(name)}s`)]),
  views: types.map((name) => rival(`shop.${snake(name)}`, `create view shop.${snake(name)} as select 1 as id`)),
  enums: types.map((name) =>
    rival(
      `shop.${snake(name)}`,
      `create type shop.${snake(name)} as enum ('A'); create table shop.uses_${snake(name)} (one shop.${snake(name)})`,
    ),
  ),
  "given names": types.map((name, place) =>
    rival(
      `shop.given_${place}`,
      `create table shop.given_${place} (id int primary key); comment on table shop.given_${place} is '@name ${name}'`,
    ),
  ),
};

/** What clients see of the types that there were: each field with its type and arguments. */
function seen(schema: GraphQLSchema): Record<string, string> {
  return Object.fromEntries(
    Object.values(first.getTypeMap()).flatMap((old) => {
      const now = schema.getType(old.name);
      if (!isObjectType(old)) return [[old.name, now?.constructor.name ?? ""]];
      return Object.keys(old.getFields()).map((name) => {
        const field = isObjectType(now) ? now.getFields()[name] : undefined;
        const args = field?.args
          .map((each) => `${each.name}: ${each.type}`)
          .filter((arg) => !/^(orderBy|filter)/.test(arg));
        return [`${old.name}.${name}`, `(${args?.join(", ")}): ${field?.type}`];
      });
    }),
  );
}

for (const [kind, rivals] of Object.entries(kinds)) {
  test(`new ${kind} take no name, and what gives way is listed`, async () => {
    const done = await renew(...rivals.map(({ sql }) => sql));
    assert.ok(done.length > 0);
    const schema = await build(names);
    const after = servedNamesOf(schema);
    assert.deepEqual(Object.fromEntries(Object.keys(names).map((name) => [name, after[name]])), names);
    assert.deepEqual(seen(schema), seen(first));
    const served = await serve(url, makePreset({ servedNames: names }));
    assert.equal((await served.ask(question)).text, answer);
    const listed = unmappedObjectsOf(schema);
    const printed = new Set(Object.values(after));
    const lost = rivals.filter(
      ({ object, sql }) =>
        done.includes(sql) &&
        !listed.some(({ message }) => object.test(message)) &&
        ![...printed].some((one) => object.test(one)),
    );
    assert.deepEqual(lost, []);
    assert.deepEqual(
      listed.filter(({ message }) => /cannot be made|is left out/.test(message)),
      [],
    );
  });
}

test("an object that a clash has renamed keeps that name when the other one is gone", async () => {
  const [create] = await renew("create table shop.genres (id int primary key)");
  const clashing = servedNamesOf(await build());
  assert.equal(clashing["type GenreTable"], "table shop.genre");
  await renew(create ?? "", "drop table shop.genres");
  const after = servedNamesOf(await build(clashing));
  assert.equal(after["type GenreTable"], "table shop.genre");
  assert.equal(after["type Genre"], undefined);
});
