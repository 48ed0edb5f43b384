import { useService } from "../support/service.ts";

/* A field that a migration adds to an input type breaks no request, before and after the service has rebuilt its schema. */
const service = useService();

const create = `mutation { createPost(input: {title: "Tides, \\"high\\" (and low)", content: "a\\\\b", tags: ["x,y", "{}"]}) { title content tags { name } } }`;
const created = {
  data: { createPost: { title: `Tides, "high" (and low)`, content: "a\\b", tags: [{ name: "x,y" }, { name: "{}" }] } },
};
const update = `mutation { updatePost(id: "1", input: {excerpt: "e"}) { excerpt } }`;
const updated = { data: { updatePost: { excerpt: "e" } } };

async function expectBoth(): Promise<void> {
  expect(await service.ask(create, { as: "ada" })).toEqual(created);
  expect(await service.ask(update, { as: "ada" })).toEqual(updated);
}

test("createPost and updatePost go on, whether the service has followed or not", async () => {
  await expectBoth();
  await service.database.query(`
    alter table app_public.posts add column subtitle text;
    select conventions.allow_writing('app_public.posts', '{subtitle}',
      on_insert => 'app_public.create_post_input', on_update => 'app_public.update_post_input')`);
  await expectBoth();
  await service.app.rebuild();
  await service.app.rebuild();
  await expectBoth();
  const subtitle = `mutation { updatePost(id: "1", input: {subtitle: "s"}) { subtitle title } }`;
  expect(await service.ask(subtitle, { as: "ada" })).toEqual({
    data: { updatePost: { subtitle: "s", title: created.data.createPost.title } },
  });
});

test("an input type may hold numbers, times, lists, JSON and another input type, for a mutation and a query", async () => {
  await service.database.query(`
    create type app_public.inner_input as (words text[], moment timestamptz);
    create type app_public.outer_input as (amount numeric, flag boolean, day date, sizes int[], data jsonb, inside app_public.inner_input, more app_public.inner_input[]);
    create function app_public.show(before text, input app_public.outer_input, after text default 'none') returns text
    language sql volatile return concat_ws(' ', before, input::text, after);
    create function app_public.seen(input app_public.outer_input) returns text language sql stable return input::text;
    grant execute on function app_public.show(text, app_public.outer_input, text), app_public.seen(app_public.outer_input) to api_anonymous`);
  await service.app.rebuild();
  const inside = `{words: ["a b", "c,\\"d"], moment: "2026-01-02T03:04:05Z"}`;
  const input = `{amount: "1.50", flag: true, day: "2026-01-02", sizes: [1, 2], data: {a: [1]}, inside: ${inside}, more: [${inside}]}`;
  const { data, errors } = await service.ask(`mutation { show(before: "(", input: ${input}) }`);
  expect(errors).toBeUndefined();
  const { data: read } = await service.ask(`{ seen(input: ${input}) }`);
  expect(data.show).toBe(`( ${read.seen} none`);
  const [{ wanted } = { wanted: "" }] = await service.database.query<{ wanted: string }>(`
    select row(1.50, true, '2026-01-02'::date, '{1,2}'::int[], '{"a": [1]}'::jsonb, i, array[i])::app_public.outer_input::text as wanted
      from (select row('{a b,"c,\\"d"}'::text[], '2026-01-02T03:04:05Z'::timestamptz)::app_public.inner_input as i) as inside`);
  expect(read.seen).toBe(wanted);
});
