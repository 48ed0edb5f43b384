import { useService } from "../support/service.ts";

/* A tag that says something impossible fails the build of the schema, and the log names the thing and the word. */
const service = useService();

afterEach(async () => {
  await service.database.query(`
    comment on column app_public.tags.name is 'The keyword.';
    comment on table app_public.tags is E'@listOrder name\\nA keyword for posts.';
    comment on function app_public.create_comment is 'Adds a comment to a post.'`);
});

const column = (comment: string) => `comment on column app_public.tags.name is '${comment}'`;
const table = (comment: string) => `comment on table app_public.tags is E'${comment}'`;

test.each([
  [column("@listFilter like"), "tags.name: “like” is none of eq, gt, gte, lt, lte, in, isNull"],
  [column("@listFilter isNull:"), "tags.name: “isNull:” is none of"],
  [column("@listFilter eq eq"), "tags has two filters with the name name"],
  [table("@listOrder name\\n@listOrder id"), "@listOrder of tags: one line has no name, and all others have one"],
  [table("@listOrder FUNNY: jokes desc, id"), "@listOrder of tags: “jokes desc” is not a column"],
  [table("@listOrder FUNNY: name upwards"), "@listOrder of tags: “name upwards” is not a column"],
  [table("@firstRows app_hidden.first_tags word"), "@firstRows of tags: there is no column word"],
  [table("@totalCount app_hidden.count_tags word"), "@totalCount of tags: there is no column word"],
])("%s", async (comment, message) => {
  const { schema } = service.app;
  await service.database.query(comment);
  await service.app.rebuild();
  expect(service.logged.at(-1)).toMatchObject({ level: 50, err: { message: expect.stringContaining(message) } });
  expect(service.app.schema).toBe(schema);
});
