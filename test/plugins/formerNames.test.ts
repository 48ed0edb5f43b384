import { buildSchema, type GraphQLSchema } from "graphql";
import { compareSchemas } from "../../src/dba/check/compareSchemas.ts";
import { printApi } from "../../src/graphql/schema/printApi.ts";
import { useService } from "../support/service.ts";

/* Everything in this schema is renamed, and a client that knows only the former names notices nothing. */
const service = useService();
let before: GraphQLSchema;

const schema = `
  create table app_public.racks (id bigint primary key, place text not null);
  create table app_public.volumes (
    id bigint primary key,
    rack_id bigint not null references app_public.racks,
    title text not null unique,
    listed_at timestamptz not null default now(),
    stored_in_id bigint references app_public.racks
  );
  comment on constraint volumes_stored_in_id_fkey on app_public.volumes is '@foreignFieldName storage';
  create index on app_public.volumes (stored_in_id);
  create index on app_public.volumes (rack_id);
  create table app_public.labels (id bigint primary key, word text not null);
  create table app_public.volume_labels (
    volume_id bigint references app_public.volumes,
    label_id bigint references app_public.labels,
    primary key (volume_id, label_id)
  );
  create index on app_public.volume_labels (label_id);
  comment on table app_public.volume_labels is '@manyToMany';
  comment on column app_public.volumes.title is '@listFilter eq in';
  create type app_public.tell_volume_input as (title text, pages int);
  comment on column app_public.tell_volume_input.title is '@notNull';
  create type app_public.order_input as (volumes app_public.tell_volume_input[]);
  create function app_public.volumes_shout(volumes app_public.volumes, mark text default '!') returns text language sql stable
    return upper(volumes.title) || mark;
  create function app_public.latest(at_most int) returns setof app_public.volumes language sql stable
    as 'select * from app_public.volumes where id <= at_most';
  create function app_public.describe(input app_public.tell_volume_input, suffix text, times int default 1) returns text
    language sql volatile return concat(input.title, input.pages, repeat(suffix, times));
  create function app_public.place_order(input app_public.order_input) returns text language sql volatile
    return (select string_agg(title, ',') from unnest(input.volumes));
  grant select on all tables in schema app_public to api_anonymous;
  grant execute on all functions in schema app_public to api_anonymous;
  insert into app_public.racks values (1, 'Left');
  insert into app_public.volumes values (1, 1, 'Tides', '2026-11-21 09:30Z', 1);
  insert into app_public.labels values (1, 'sea');
  insert into app_public.volume_labels values (1, 1);
`;

const rename = `
  alter table app_public.volumes rename to books;
  comment on table app_public.books is '@formerly volume';
  alter table app_public.books rename title to heading;
  comment on column app_public.books.heading is E'@listFilter eq in\\n@formerly title';
  alter table app_public.books rename listed_at to added_at;
  comment on column app_public.books.added_at is '@formerly listed_at';
  alter table app_public.books rename rack_id to shelf_id;
  comment on column app_public.books.shelf_id is '@formerly rack_id';
  comment on constraint volumes_stored_in_id_fkey on app_public.books is
    E'@fieldName keptIn\\n@formerFieldName storedIn\\n@foreignFieldName kept\\n@formerForeignFieldName storage';
  alter table app_public.labels rename to topics;
  comment on table app_public.topics is '@formerly labels';
  alter type app_public.tell_volume_input rename to tell_book_input;
  comment on type app_public.tell_book_input is '@formerly tell_volume_input';
  alter type app_public.tell_book_input rename attribute title to heading;
  comment on column app_public.tell_book_input.heading is E'@notNull\\n@formerly title';
  alter type app_public.tell_book_input rename attribute pages to leaves;
  comment on column app_public.tell_book_input.leaves is '@formerly pages';
  alter type app_public.order_input rename attribute volumes to books;
  comment on column app_public.order_input.books is '@formerly volumes';
  drop function app_public.volumes_shout, app_public.latest, app_public.describe, app_public.place_order;
  create function app_public.books_cry(books app_public.books, sign text default '!') returns text language sql stable
    return upper(books.heading) || sign;
  comment on function app_public.books_cry is E'@formerly shout\\n@formerArgument sign mark';
  create function app_public.newest(most int) returns setof app_public.books language sql stable
    as 'select * from app_public.books where id <= most';
  comment on function app_public.newest is E'@formerly latest\\n@formerArgument most at_most';
  create function app_public.tell(input app_public.tell_book_input, tail text, repeated int default 1) returns text
    language sql volatile return concat(input.heading, input.leaves, repeat(tail, repeated));
  comment on function app_public.tell is
    E'@formerly describe\\n@formerArgument tail suffix\\n@formerArgument repeated times';
  create function app_public.place_order(input app_public.order_input) returns text language sql volatile
    return (select string_agg(heading, ',') from unnest(input.books));
  create function app_public.complain(input app_public.tell_book_input, tail text) returns text
    language plpgsql volatile as $$ begin
      raise exception using errcode = 'FAULT', detail =
        '[{"column": "heading", "code": "ODD", "message": "Odd."}, {"column": "leaves", "code": "ODD", "message": "Odd."}]';
    end $$;
  comment on function app_public.complain is '@formerArgument tail suffix';
  create function app_public.complain_of(tail text) returns text language plpgsql volatile as $$ begin
      raise exception using errcode = 'FAULT', detail = '[{"column": "tail", "code": "ODD", "message": "Odd."}]';
    end $$;
  comment on function app_public.complain_of is '@formerArgument tail suffix';
  grant execute on all functions in schema app_public to api_anonymous;
`;

beforeAll(async () => {
  await service.database.query(schema);
  await service.app.rebuild();
  before = buildSchema(printApi(service.app.schema));
  await service.database.query(rename);
  await service.app.rebuild();
  expect(service.logged.filter(({ level }) => level === 50)).toEqual([]);
});

test("the review calls the rename of a column, a foreign key, a function, an input and a table safe", () => {
  const after = buildSchema(printApi(service.app.schema));
  const findings = compareSchemas(before, after);
  expect(findings.filter(({ level }) => level === "refused")).toEqual([]);
  const messages = findings.filter(({ level }) => level === "safe").map(({ message }) => message);
  expect(messages).toContain("Volume.title: String! is now deprecated: Use heading.");
  expect(messages).toContain("TellVolumeInput.title: String is now deprecated: Use heading.");
  expect(messages).toContain("Query.volumes: [Volume!] is now deprecated: Use books.");
  expect(messages).toContain("Mutation.describe: String is now deprecated: Use tell.");
});

describe.each([
  ["a column", "{ volume(id: 1) { title rackId } }", "{ book(id: 1) { heading shelfId } }"],
  [
    "a column of moments",
    "{ volume(id: 1) { listedAt(format: DATE_TIME) } }",
    "{ book(id: 1) { addedAt(format: DATE_TIME) } }",
  ],
  ["a unique column", `{ volumeByTitle(title: "Tides") { id } }`, `{ bookByHeading(heading: "Tides") { id } }`],
  ["a foreign key", "{ volume(id: 1) { rack { place } } }", "{ book(id: 1) { shelf { place } } }"],
  [
    "a filter",
    `{ volumes(title: "Tides") { id } rack(id: 1) { volumesConnection(titleIn: ["Tides"]) { totalCount } } }`,
    `{ books(heading: "Tides") { id } rack(id: 1) { booksConnection(headingIn: ["Tides"]) { totalCount } } }`,
  ],
  [
    "a relation with names of its own",
    "{ volume(id: 1) { storedIn { storage { id } storageConnection { totalCount } } } }",
    "{ book(id: 1) { keptIn { kept { id } keptConnection { totalCount } } } }",
  ],
  ["a table", "{ volumes(limit: 1) { id } }", "{ books(limit: 1) { id } }"],
  ["a connection", "{ volumesConnection { totalCount } }", "{ booksConnection { totalCount } }"],
  ["a relation", "{ rack(id: 1) { volumes { id } } }", "{ rack(id: 1) { books { id } } }"],
  [
    "a relation through a join table",
    "{ volume(id: 1) { labels { word } labelsConnection { totalCount } } }",
    "{ book(id: 1) { topics { word } topicsConnection { totalCount } } }",
  ],
  ["a computed column", `{ volume(id: 1) { shout(mark: "?") } }`, `{ book(id: 1) { cry(sign: "?") } }`],
  [
    "a function of rows",
    "{ latest(atMost: 1) { id } latestConnection(atMost: 1) { totalCount } }",
    "{ newest(most: 1) { id } newestConnection(most: 1) { totalCount } }",
  ],
  [
    "a mutation, its arguments and its input",
    `mutation { describe(input: { title: "A", pages: 3 }, suffix: "!", times: 2) }`,
    `mutation { tell(input: { heading: "A", leaves: 3 }, tail: "!", repeated: 2) }`,
  ],
  [
    "inputs in a list",
    `mutation { placeOrder(input: { volumes: [{ title: "A" }, { title: "B" }] }) }`,
    `mutation { placeOrder(input: { books: [{ heading: "A" }, { heading: "B" }] }) }`,
  ],
])("%s", (_, former, current) => {
  test("has the same value under both names", async () => {
    const answers = [await service.ask(former), await service.ask(current)];
    expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined]);
    expect(leaves(answers[0]?.data)).toEqual(leaves(answers[1]?.data));
    expect(leaves(answers[0]?.data).length).toBeGreaterThan(0);
  });
});

test.each([
  ["both names of an argument", `tell(input: { heading: "A" }, tail: "!", suffix: "?")`, ["suffix"], "GIVEN_TWICE"],
  ["no name of a required argument", `tell(input: { heading: "A" })`, ["tail"], "REQUIRED"],
  ["null for a required argument", `tell(input: { heading: "A" }, suffix: null)`, ["suffix"], "REQUIRED"],
  ["both names of an input", `tell(input: { heading: "A", title: "A" }, tail: "!")`, ["input", "title"], "GIVEN_TWICE"],
  ["no name of a required input", `tell(input: { leaves: 1 }, tail: "!")`, ["input", "heading"], "REQUIRED"],
  [
    "both names of an input in a list",
    `placeOrder(input: { books: [{ heading: "A" }, { heading: "A", title: "A" }] })`,
    ["input", "books", 1, "title"],
    "GIVEN_TWICE",
  ],
])("%s is a VALIDATION_ERROR", async (_, call, path, code) => {
  const { errors } = await service.ask(`mutation { ${call} }`);
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.extensions).toMatchObject({ code: "VALIDATION_ERROR", validationErrors: [{ path, code }] });
});

test.each([
  `books(title: "A", heading: "A") { id }`,
  `booksConnection(titleIn: ["A"], headingIn: []) { totalCount }`,
  `rack(id: 1) { id books(title: "A", heading: "A", limit: 1000) { id } }`,
])("both names of a filter are a VALIDATION_ERROR of the list: %s", async (selection) => {
  const { errors } = await service.ask(`{ ${selection} }`);
  const fault = { field: expect.stringMatching("^title"), code: "GIVEN_TWICE" };
  expect(errors).toMatchObject([
    {
      extensions: {
        code: "VALIDATION_ERROR",
        validationErrors: expect.arrayContaining([expect.objectContaining(fault)]),
      },
    },
  ]);
});

test.each([
  [
    `complain(input: { title: "A", leaves: 1 }, tail: "")`,
    [
      ["input", "title"],
      ["input", "leaves"],
    ],
  ],
  [
    `complain(input: { heading: "A", pages: 1 }, tail: "")`,
    [
      ["input", "heading"],
      ["input", "pages"],
    ],
  ],
  [
    "complain(input: $input, tail: $tail)",
    [
      ["input", "title"],
      ["input", "pages"],
    ],
  ],
  [`complainOf(suffix: "")`, [["suffix"]]],
  [`complainOf(tail: "")`, [["tail"]]],
])("a fault that SQL finds has the name that the request used: %s", async (call, paths) => {
  const variables = { input: { title: "A", pages: 1 } };
  const header = call.includes("$input") ? 'mutation ($input: TellVolumeInput!, $tail: String! = "")' : "mutation";
  const { errors } = await service.ask(`${header} { ${call} }`, { variables });
  const validationErrors = paths.map((path) => ({ path, field: path.at(-1), code: "ODD" }));
  expect(errors).toMatchObject([{ extensions: { code: "VALIDATION_ERROR", validationErrors } }]);
});

test("variables are accepted under both names", async () => {
  const query = "mutation ($input: TellVolumeInput!, $tail: String) { tell(input: $input, suffix: $tail) }";
  const { data } = await service.ask(query, { variables: { input: { title: "A", leaves: 2 }, tail: "." } });
  expect(data).toEqual({ tell: "A2." });
});

/** The scalars of an answer, without the names of the fields. */
function leaves(value: unknown): unknown[] {
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(leaves) : [value];
}
