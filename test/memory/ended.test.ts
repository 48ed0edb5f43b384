import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { useDatabase } from "../support/database.ts";
import { testSettings } from "../support/service.ts";
import { collectGarbage, nextJob } from "./support/heap.ts";

/* Tools and tests start many services in one process. */
const database = useDatabase();

async function startAndEnd(): Promise<WeakRef<object>> {
  const app = await startApp({ ...testSettings, apiDatabaseUrl: database.apiUrl }, pino({ level: "silent" }));
  const schema = new WeakRef(app.schema);
  await app.close();
  return schema;
}

test("a service that has ended is freed, with its schema", async () => {
  const schemas = [await startAndEnd(), await startAndEnd()];
  for (let turn = 0; turn < 10; turn++) {
    await nextJob();
    collectGarbage();
  }
  // What the last one has left on its way may still be referred to.
  expect(schemas[0]?.deref()).toBeUndefined();
});
