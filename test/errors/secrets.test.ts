import { readFileSync } from "node:fs";
import pg from "pg";
import { post } from "../../tools/support/post.ts";
import { ServiceProcess } from "../../tools/support/ServiceProcess.ts";
import { useDatabase } from "../support/database.ts";

/* No password and no token appears in a log, error, statement or process title, at any log level. */
const database = useDatabase();
const jwtSecret = "a-jwt-secret-that-nobody-may-ever-read-anywhere";
const password = "first_secret_password";
const secrets = [jwtSecret, password, "second_secret_password", "wrong_secret_password", "misplaced-secret"];

test("secrets do not leak", async () => {
  const apiPassword = new URL(database.apiUrl).password;
  const settings = { DATABASE_URL: database.ownerUrl, JWT_SECRET: jwtSecret, LOG_LEVEL: "trace" };
  const service = database.ends.use(new ServiceProcess(settings));
  const url = await service.url();
  const answers: string[] = [];
  const ask = async (query: string, headers: Record<string, string> = {}) => {
    const answer = await post(url, query, headers);
    answers.push(JSON.stringify(answer));
    return answer;
  };
  const watcher = new pg.Client({ connectionString: database.ownerUrl });
  await watcher.connect();
  const seen: string[] = [];
  const look = async () => {
    const { rows } = await watcher.query("select query from pg_stat_activity where pid <> pg_backend_pid()");
    seen.push(JSON.stringify(rows));
    seen.push(readFileSync(`/proc/${service.child.pid}/cmdline`, "utf8"));
  };

  await ask(`mutation { createUser(name: "Eve", email: "eve@example.com", password: "${password}") { id } }`);
  const { data } = await ask(
    `mutation { signIn(email: "eve@example.com", password: "${password}") { accessToken refreshToken } }`,
  );
  const { accessToken, refreshToken } = data.signIn;
  // Only the response to signIn may contain tokens.
  answers.pop();
  await look();
  await ask(`mutation { signIn(email: "eve@example.com", password: "wrong_secret_password") { userId } }`);
  await ask(`mutation { signIn(email: "misplaced-secret", password: "${password}") { userId } }`);
  await ask(`mutation { signIn(email: "eve@example.com", pasword: "${password}") { userId } }`);
  await ask(`mutation { signIn(email: "eve@example.com", password: ${password}) { userId } }`);
  await ask(`mutation { signIn(email: "eve@example.com", password: "${password} }`);
  await ask(
    `mutation { changePassword(currentPassword: "${password}", newPassword: "second_secret_password") { userId } }`,
    { authorization: `Bearer ${accessToken}` },
  );
  await ask("{ me { id } }", { authorization: `Bearer ${accessToken}x` });
  await ask("{ me { id } }", { authorization: `Basic ${password}` });
  await ask(`mutation { refreshSession(refreshToken: "${refreshToken}") { userId } }`);
  await look();
  // An internal error during signIn, with a detailed error of PostgreSQL.
  await database.query("alter table app_private.failed_sign_ins rename to elsewhere");
  const broken = await ask(
    `mutation { signIn(email: "eve@example.com", password: "second_secret_password") { userId } }`,
  );
  expect(broken.errors?.[0]?.extensions.code).toBe("INTERNAL_SERVER_ERROR");
  await look();
  await watcher.end();
  await service.end("SIGTERM");

  expect(service.output).toContain(broken.errors?.[0]?.extensions.errorId);
  const told = [service.output, ...answers].join("\n");
  for (const secret of [...secrets, accessToken, refreshToken, apiPassword]) {
    expect(told.split(secret)).toHaveLength(1);
    expect(seen.join("\n").split(secret)).toHaveLength(1);
  }
});
