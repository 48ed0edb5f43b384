import { useService } from "../support/service.ts";

/* A migration adds a column to a table while a mutation that returns a row of the table waits for the migration's lock. */
const service = useService();

test.each([
  [
    `mutation { createPost(input: { title: "In flight", content: "Text." }) { title } }`,
    "posts",
    { createPost: { title: "In flight" } },
  ],
  [`mutation { createUser(name: "Zoë", email: "zoe@example.com") { name } }`, "users", { createUser: { name: "Zoë" } }],
])("%s is answered once the migration has ended", async (query, table, expected) => {
  // The connections have plans for the columns of before.
  await service.ask(query.replace("zoe@", "before@"), { as: "ada" });
  const migration = await service.database.hold(`alter table app_public.${table} add column mood text`);
  const answer = service.ask(query, { as: "ada" });
  await migration.somebodyWaits();
  await migration.commit();
  expect(await answer).toEqual({ data: expected });
  expect(
    await service.database.query(
      `select from app_public.${table} where ${table === "posts" ? "title = 'In flight'" : "name = 'Zoë'"}`,
    ),
  ).toHaveLength(2);
});
