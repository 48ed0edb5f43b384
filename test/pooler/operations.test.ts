import { readContent, readOperations } from "../../tools/support/readOperations.ts";
import { describeTransactionMode } from "../support/pooler.ts";
import { type Person, useService } from "../support/service.ts";

/* The operations of test/operations, through PgBouncer. */
describeTransactionMode((startPooler) => {
  const service = useService({ poolSize: 10 }, async (database) => {
    const pooler = await startPooler(database);
    return { apiDatabaseUrl: pooler.through(database.apiUrl), listenDatabaseUrl: database.apiUrl };
  });
  beforeAll(() => service.database.query(readContent()));

  test.each(readOperations())("answers $name as without a pooler", async ({ query, variables, as, answer }) => {
    expect(await service.ask(query, { variables, as: as as Person })).toEqual(JSON.parse(answer));
  });
});
