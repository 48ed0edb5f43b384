import { type Person, people, useService } from "../support/service.ts";
import { inDatabase, resetContent } from "./outcome.ts";
import { actsBelow, ways } from "./ways.ts";

/* The permissions to read: migrations/permissions.md (docs/decisions.md, "Identity"). */
const service = useService();
beforeAll(() => resetContent(service));

describe.each(actsBelow("## Reading"))("$act", (act) => {
  test.each(ways(service, act))("%s, as %s", async (_way, person, see) => {
    expect(await see()).toBe(act.outcomes[person]);
  });
});

/** Each foreign key with `@notNull`, and a query for its rows that lead to a hidden one. */
const hiddenRows = `
  select k.conname as name, k.conrelid::regclass::text as table,
         format('select from %1$s as r where r.%3$I is not null and not exists (select from %2$s as o where o.%4$I = r.%3$I)',
           k.conrelid::regclass, k.confrelid::regclass, a.attname, b.attname) as query
    from pg_constraint k
    join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
   where k.contype = 'f' and obj_description(k.oid, 'pg_constraint') ~ '(^|\\n)@notNull'`;

test("@notNull on a foreign key is true: nobody sees a row and not the one that it leads to", async () => {
  const keys = await service.database.query<{ name: string; table: string; query: string }>(hiddenRows);
  expect(keys).not.toEqual([]);
  const seen = await Promise.all(
    (["nobody", ...Object.keys(people)] as Person[]).flatMap((person) =>
      keys.map(async ({ name, table, query }) => [
        name,
        await inDatabase(service, person, `select from ${table}`),
        await inDatabase(service, person, query),
      ]),
    ),
  );
  // A row that the member sees proves something of its key.
  expect(new Set(seen.filter(([, rows]) => rows === "done").map(([name]) => name)).size).toBe(keys.length);
  expect(seen.filter(([, , hidden]) => hidden === "done")).toEqual([]);
});
