import { startDatabase } from "@content-service/testing/database.ts";
import { createPool, endPool, makeDatabaseAccess } from "pg-caller-pool";
import { makeSchema } from "postgraphile";
import type { WithPgClient } from "postgraphile/@dataplan/pg";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafast } from "postgraphile/grafast";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

/* The way of packages/caller-pool/README.md into a PostGraphile without a plugin of ours. */
test("PostGraphile's pgSettings are the caller of each of its transactions", async () => {
  await using database = await startDatabase(`
    create schema shop;
    create role app_user;
    create role app_login login noinherit;
    grant app_user to app_login;
    grant usage on schema shop to app_user;
    create table shop.items (id int primary key, owner_id int);
    insert into shop.items values (1, 1), (2, 2);
    alter table shop.items enable row level security;
    create policy own on shop.items using (owner_id = current_setting('app.user_id')::int);
    grant select on shop.items to app_user`);
  const pool = createPool({ connectionString: database.urlOf("app_login"), size: 2 });
  const access = makeDatabaseAccess(pool);
  const service = makePgService({ pool: pool as never, schemas: ["shop"] });
  const withPgClient: WithPgClient = (pgSettings, work) =>
    pgSettings
      ? access.as({ quotaKey: pgSettings["app.user_id"] ?? "", settings: pgSettings })(null, work)
      : access.asLogin(null, work);
  const { schema, resolvedPreset } = await makeSchema({
    extends: [PostGraphileAmberPreset],
    pgServices: [{ ...service, adaptor: { ...service.adaptor, createWithPgClient: () => withPgClient } } as never],
    grafast: { context: ({ userId }: any) => ({ pgSettings: { role: "app_user", "app.user_id": userId } }) },
  });
  const ask = async (userId: string) => {
    const requestContext = { userId } as never;
    return grafast({ schema, resolvedPreset, requestContext, source: "{ allItems { nodes { ownerId } } }" });
  };
  for (const userId of ["1", "2"])
    expect(await ask(userId)).toMatchObject({ data: { allItems: { nodes: [{ ownerId: Number(userId) }] } } });
  await endPool(pool);
});
