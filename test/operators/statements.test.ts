import { useService } from "../support/service.ts";
import { statementsOf } from "../support/statements.ts";

/* Statements say which operation they belong to. */
const commentOf = (statement: string) => /\/\*operation='\w+'\*\/$/.exec(statement)?.[0];

describe("a statement", () => {
  const service = useService();

  test("ends with the name of its operation, in sqlcommenter's format", async () => {
    const statements = await statementsOf(() => service.ask("query Names { users(limit: 1) { name } }"));
    expect(statements.map(commentOf)).toEqual(["/*operation='Names'*/"]);
    const mutation = `mutation Write { createPost(input: { title: "T", content: "C." }) { slug author { name } } }`;
    const written = await statementsOf(() => service.ask(mutation, { as: "ada" }));
    expect(new Set(written.map(commentOf))).toEqual(new Set(["/*operation='Write'*/"]));
  });

  test("has no comment when the operation has no name", async () => {
    const statements = await statementsOf(() => service.ask("{ users(limit: 1) { name } }"));
    expect(statements.map(commentOf)).toEqual([undefined]);
  });

  test("is prepared for a bounded number of names, however many clients invent", async () => {
    const ask = (name: string) => service.ask(`query ${name} { users(limit: 1) { name } }`);
    const statements = await statementsOf(async () => {
      for (let i = 0; i < 130; i++) await ask(`Invented${i}`);
      await ask("x".repeat(64));
    });
    const reading = statements.filter((text) => text.includes('"users"'));
    const comments = new Set(reading.map(commentOf));
    expect(reading).toHaveLength(131);
    expect(comments.size).toBeLessThanOrEqual(101);
    expect(comments).toContain("/*operation='other'*/");
  });

  test("of the same text runs under several names on one connection", async () => {
    for (let round = 0; round < 3; round++) {
      for (const name of ["One", "Two", ""]) {
        const { data } = await service.ask(`query ${name} { users(limit: 1) { name } }`);
        expect(data).toEqual({ users: [{ name: "Ada" }] });
      }
    }
  });
});
