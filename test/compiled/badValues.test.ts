import { answer } from "../../tools/fuzz/compareAnswers.ts";
import { useService } from "../support/service.ts";

/* A stored value that GraphQL cannot show costs the smallest nullable place around it, whichever executor runs the operation. */
const service = useService({}, async (database) => {
  await database.query(`
    create table app_public.prices (id int primary key, valid_until timestamptz not null default 'infinity', day date not null, span daterange,
      spans tstzrange not null, times timestamptz[] not null, local timestamp);
    insert into app_public.prices values
      (1, 'infinity', '-infinity', '[2026-01-01,infinity)', '[-infinity,infinity]', '{infinity,"0044-03-15 12:00+00 BC"}', '-infinity'),
      (2, '0044-03-15 12:00+00 BC', '5874897-12-31', '(,)', '[2026-01-01,)', '{}', '2026-01-01');
    create table app_public.ratios (id int primary key, ratio float8 not null, small float4, cells int[] not null, exact numeric not null);
    insert into app_public.ratios values (1, 0.5, 1, '{1}', 1), (2, 'NaN', 'Infinity', '{{1,2},{3,4}}', 'NaN'), (3, 2, null, '{}', 0.10);
    create table app_public.jsons (id int primary key, jb jsonb, jbs jsonb[], nr numrange);
    insert into app_public.jsons values (1, '{"a": 9007199254740993, "b": 1.10, "c": 100}', array['9007199254740993'::jsonb, '12e2'], '[1,2)');
    create function app_public.numbers() returns setof bigint language sql stable as $$ values (1::bigint), (null), (3) $$;
    create function app_public.promised() returns setof bigint language sql stable as $$ values (1::bigint) $$;
    comment on function app_public.promised() is '@notNull items';
    create function app_public.some_prices() returns setof app_public.prices language sql stable as
      $$ select p from app_public.prices p where id = 2 union all select null $$;
    grant select on app_public.prices, app_public.ratios, app_public.jsons to api_anonymous, api_member;
    grant execute on all functions in schema app_public to api_anonymous, api_member`);
  return {};
});

/** The result as text, without the ids of errors. Beside a range, the engine runs the operation. */
async function textOf(query: string): Promise<string> {
  const { pipeline } = service.app;
  const { text } = await answer(pipeline, pipeline.served, query, {}, "");
  const { text: byEngine } = await answer(
    pipeline,
    { ...pipeline.served, compiled: undefined } as never,
    query,
    {},
    "",
  );
  const plain = (json: string) => json.replace(/(?<=[:,]) /g, "");
  expect(plain(text)).toBe(plain(byEngine));
  return plain(text);
}

test.each([
  [
    "{ prices(limit: 9) { id validUntil day local } }",
    `[{"id":1,"validUntil":"infinity","day":"-infinity","local":"-infinity"},` +
      `{"id":2,"validUntil":"0044-03-15T12:00:00.000000+00:00 BC","day":"5874897-12-31","local":"2026-01-01T00:00:00.000000"}]`,
  ],
  [
    "{ prices(limit: 9) { span { start { value } end { value } } spans { start { value } end { value } } times } }",
    `[{"span":{"start":{"value":"2026-01-01"},"end":{"value":"infinity"}},"spans":{"start":{"value":"-infinity"},"end":{"value":"infinity"}},` +
      `"times":["infinity","0044-03-15T12:00:00.000000+00:00 BC"]},` +
      `{"span":{"start":null,"end":null},"spans":{"start":{"value":"2026-01-01T00:00:00.000000+00:00"},"end":null},"times":[]}]`,
  ],
  ["{ ratios(limit: 9) { exact } }", `[{"exact":"1"},{"exact":"NaN"},{"exact":"0.10"}]`],
  ["{ jsons(limit: 9) { jb } }", `[{"jb":{"a":9007199254740993,"b":1.10,"c":100}}]`],
  [
    "{ jsons(limit: 9) { jb nr { start { value } } } }",
    `[{"jb":{"a":9007199254740993,"b":1.10,"c":100},"nr":{"start":{"value":"1"}}}]`,
  ],
  ["{ jsons(limit: 9) { jbs } }", `[{"jbs":[9007199254740993,1200]}]`],
  ["{ numbers(limit: 9) }", `["1",null,"3"]`],
  ["{ somePrices(limit: 9) { id } }", `[{"id":2},null]`],
])("%s", async (query, list) => {
  expect(await textOf(query)).toBe(`{"data":{"${/\w+/.exec(query)?.[0]}":${list}}}`);
});

test.each([
  ["{ ratios(limit: 9) { id ratio } }", [["ratios", 1, "ratio"]], { id: 2, ratio: null }],
  ["{ ratios(limit: 9) { id small } }", [["ratios", 1, "small"]], { id: 2, small: null }],
  [
    "{ ratios(limit: 9) { id cells } }",
    [
      ["ratios", 1, "cells", 0],
      ["ratios", 1, "cells", 1],
    ],
    { id: 2, cells: [null, null] },
  ],
])("%s has an error with its path and an id, and the rest", async (query, paths, row) => {
  const { data, errors = [] } = JSON.parse(await textOf(query));
  expect(data.ratios).toHaveLength(3);
  expect(data.ratios[1]).toEqual(row);
  expect(errors.map(({ path }: { path: unknown }) => path)).toEqual(paths);
  for (const { extensions } of errors) expect(extensions.code).toBe("INTERNAL_SERVER_ERROR");
});

test("a function promises rows by @notNull items", () => {
  const fields = service.app.schema.getQueryType()?.getFields();
  expect(String(fields?.["promised"]?.type)).toBe("[ID!]");
  expect(String(fields?.["numbers"]?.type)).toBe("[ID]");
});
