import { expect, test } from "@jest/globals";
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
    select app_hidden.accept('app_public.posts', '{subtitle}',
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
