import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { useDatabase } from "../support/database.ts";

const command = fileURLToPath(new URL("../../tools/leaks/main.ts", import.meta.url));
const database = useDatabase();

beforeAll(() => database.query(readFileSync(new URL("content.sql", import.meta.url), "utf8")));

async function findLeaks(environment: Record<string, string>): Promise<{ output: string; code: number | null }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [command, "--fields", "1"], {
    env: { PATH, NODE_COMPILE_CACHE, ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { output, code };
}

test("npm run leaks prints each leak with its viewer and path, and exits with 1", async () => {
  await database.query("create policy too_wide on app_public.posts for select to api_anonymous using (id = 2)");
  const { output, code } = await findLeaks({ DATABASE_URL: database.ownerUrl });
  expect(output).toContain('LEAK: anonymous sees Post 2 at post(id: "2")');
  expect(output).toContain('LEAK: anonymous sees Post 2, by its text, at post(id: "2")');
  expect(output).toMatch(/Each viewer queried \d+ paths of the schema, up to 1 fields long/);
  expect(output).not.toMatch(/LEAK: (stranger|owner|admin)/);
  expect(code).toBe(1);
});

test("npm run leaks names an invalid setting", async () => {
  const { output, code } = await findLeaks({ DATABASE_URL: "mysql://localhost" });
  expect(output).toContain("DATABASE_URL");
  expect(code).toBe(1);
});
