import type { PgBouncer } from "../../tools/support/PgBouncer.ts";
import { describeWithPgBouncer, startPooler } from "../support/pooler.ts";
import { type Answer, people, useService } from "../support/service.ts";

/* A pooler in trouble: coded refusals meanwhile, recovery after. */
describeWithPgBouncer("the service behind PgBouncer", () => {
  let pooler: PgBouncer;
  const service = useService({ poolSize: 6, statementTimeoutMs: 2_000 }, async (database) => {
    pooler = await startPooler(database, { default_pool_size: 2, query_wait_timeout: 1 });
    return { apiDatabaseUrl: pooler.through(database.apiUrl), listenDatabaseUrl: database.apiUrl };
  });

  const persons = ["ada", "bob", "admin", "nobody"] as const;
  const askAll = () => Promise.all(persons.map((as) => service.ask("{ me { id } postsCount }", { as })));
  const codesOf = ({ errors = [] }: Answer) => errors.map(({ extensions }) => extensions?.code);
  const identities = persons.map((person) => (person === "nobody" ? null : { id: people[person] }));

  /** Sends requests of all until all succeed, each with its own caller's answer. @returns the codes meanwhile */
  async function untilWell(): Promise<unknown[]> {
    const codes: unknown[] = [];
    for (;;) {
      const answers = await askAll();
      const failed = answers.flatMap(codesOf);
      if (failed.length === 0) {
        expect(answers.map(({ data }) => data?.me)).toEqual(identities);
        return [...new Set(codes)];
      }
      codes.push(...failed);
    }
  }

  /** Waits until `count` statements of the service wait for a lock. @returns how many were found then */
  async function untilWaiting(count: number): Promise<void> {
    const waiting =
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and usename = 'api_login'";
    while ((await service.database.query(waiting)).length < count);
  }
  const lockPosts = () => service.database.hold("lock app_public.posts in access exclusive mode");

  test("is killed under load and started again", async () => {
    for (let turn = 0; turn < 3; turn++) {
      const answers = askAll();
      await pooler.kill();
      const codes = [...(await answers), ...(await askAll())].flatMap(codesOf);
      expect(new Set(codes)).toEqual(new Set(["SERVICE_UNAVAILABLE"]));
      await pooler.run();
      expect(["", "SERVICE_UNAVAILABLE"]).toContain((await untilWell()).join());
    }
  });

  test("pauses, and requests that wait are answered when it resumes", async () => {
    await pooler.admin("pause");
    const answers = askAll();
    await pooler.admin("resume");
    expect((await answers).flatMap(codesOf)).toEqual([]);
  });

  test("has no free server connection for as long as it lets requests wait", async () => {
    const lock = await lockPosts();
    const held = ["ada", "bob"].map((as) => service.ask("{ postsCount }", { as: as as "ada" }));
    await untilWaiting(2);
    expect(codesOf(await service.ask("{ me { id } }", { as: "admin" }))).toEqual(["SERVICE_UNAVAILABLE"]);
    expect((await Promise.all(held)).flatMap(codesOf)).toEqual(["TIMEOUT", "TIMEOUT"]);
    await lock.release();
    expect(await untilWell()).toEqual([]);
  });

  test("loses its server connections in the middle of a statement", async () => {
    const lock = await lockPosts();
    const held = service.ask("{ postsCount }", { as: "ada" });
    await untilWaiting(1);
    await service.database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'api_login' and datname = current_database() and application_name = 'content-service'",
    );
    expect(codesOf(await held)).toEqual(["SERVICE_UNAVAILABLE"]);
    await lock.release();
    await untilWell();
  });

  test("reads its configuration again", async () => {
    await Promise.all([pooler.admin("reload"), untilWell()]);
    expect(await untilWell()).toEqual([]);
  });
});
