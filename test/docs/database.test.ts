import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { withClient } from "@content-service/support/withClient.ts";
import pg from "pg";
import { createRoles } from "../../src/database/ensureRoles.ts";
import { migrate, migrateCurrent } from "../../src/database/migrations.ts";
import { describeWithMachineServer, useMachineServer } from "../support/machineServer.ts";
import { runDb } from "../support/runDb.ts";
import { databaseUrl, onServer } from "../support/template.ts";

/* Each command of docs/database.md runs, in the order of the page, on the machine's PostgreSQL. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/database.md"), "utf8");
const backups = mkdtempSync(join(tmpdir(), "content-service-docs-"));
afterAll(() => rmSync(backups, { recursive: true }));

/** Commands that give npm and Node nothing to do but to start them. db:psql and db:url are started as they stand. */
const inThisProcess = /npm run db:(dump|restore|explain|slow|status)\b/;

const blocks = [...page.matchAll(/^```(sh|sql)\n([\s\S]*?)^```$/gm)].flatMap(([, language = "", block = ""]) =>
  language === "sh" ? block.trim().split("\n") : block.split(/;\n/).filter((statement) => statement.trim() !== ""),
);

test("the page has commands and statements", () => {
  expect(blocks.length).toBeGreaterThan(30);
  expect(page.match(/^```\w/gm)).toHaveLength([...page.matchAll(/^```(sh|sql)$/gm)].length);
});

describeWithMachineServer("on the machine's PostgreSQL", () => {
  const machine = useMachineServer({ shared_preload_libraries: "pg_stat_statements" });
  const urlOf = (name: string) =>
    Object.assign(new URL(databaseUrl(machine.url, name)), { username: "content", password: "content" }).href;

  const environment = () => ({
    PATH: `${machine.bin}:${process.env.PATH}`,
    DATABASE_URL: urlOf("content"),
    COPY_URL: urlOf("content_copy"),
    DANA_URL: urlOf("content").replace("content:content", "dana:dana"),
    SUPERUSER_URL: databaseUrl(machine.url, "content"),
  });

  beforeAll(async () => {
    await onServer(machine.url, "create role content login createdb createrole password 'content'");
    await onServer(machine.url, "create database content owner content");
    await withClient(urlOf("content"), createRoles);
    await migrate(urlOf("content"));
    await migrateCurrent(urlOf("content"));
    await onServer(urlOf("content"), readFileSync(join(root, "test/support/people.sql"), "utf8"));
  });

  test.each(blocks)("%s", async (command) => {
    if (!/^(npm|pg_|vacuumdb|DATABASE_URL)/.test(command)) return runSql(command);
    if (command.includes("$DANA_URL")) await runSql("alter role dana password 'dana'");
    expect(await (inThisProcess.test(command) ? runHere(command) : runShell(command))).toMatchObject({ status: 0 });
  });

  async function runSql(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl(machine.url, "content") });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }

  /** As the shell and npm would: it reads the words of the line, and those after `npm run db:<name> --` are the command's. */
  async function runHere(command: string): Promise<{ status: number | null; output: string }> {
    const { output } = await runShell(`npm() { printf '%s\\n' "$DATABASE_URL" "$@"; }; ${command}`);
    const [url = "", , script = "", , ...args] = output.trimEnd().split("\n");
    const { status, output: printed } = await runDb(url, [script.replace("db:", ""), ...args], {
      PATH: environment().PATH,
    });
    return { status, output: printed };
  }

  async function runShell(command: string): Promise<{ status: number; output: string }> {
    const child = spawn("/bin/sh", ["-c", command.replaceAll("/var/backups/content", backups)], {
      cwd: root,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { status, output: out + err };
  }
});
