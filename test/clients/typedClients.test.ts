import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import type { Browser } from "playwright-core";
import { hasBrowser, openBrowser } from "../browser/support/openBrowser.ts";
import { useService } from "../support/service.ts";

/* Clients whose types come from the schema, made as docs/clients.md says. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/clients.md"), "utf8");
const folder = await mkdtemp(join(tmpdir(), "content-service-clients-"));
const reader = join(folder, "reader");
const tada = join(folder, "tada");
// Jest sets NODE_ENV to "test", and the code generator prints nothing then.
const environment = {
  ...process.env,
  NODE_ENV: undefined,
  PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}`,
};

/* The page's origin is a setting of the service. So Vite starts first, and finds its files later. */
await mkdir(join(reader, "src"), { recursive: true });
await symlink(join(root, "node_modules"), join(reader, "node_modules"));
await writeFile(join(reader, "package.json"), '{ "type": "module", "scripts": { "dev": "vite" } }');
const vite = spawn("npm", ["run", "dev", "--", "--port", "0"], { cwd: reader, env: environment, detached: true });
const origin = await new Promise<string>((resolve, reject) => {
  let output = "";
  vite.stdout.on("data", (chunk) => {
    output += chunk;
    // Vite prints the port in bold where CI is set.
    const found = /http:\/\/localhost:(\d+)/.exec(stripVTControlCharacters(output))?.[1];
    if (found) resolve(`http://localhost:${found}`);
  });
  vite.once("exit", () => reject(new Error(output)));
});
const service = useService({ corsOrigins: [origin] });
let browser: Browser | undefined;

beforeAll(() =>
  service.database.query(
    `insert into app_public.posts (author_id, title, content, status) values (1, 'Typed', 'Text.', 'PUBLISHED')`,
  ),
);
afterAll(async () => {
  await browser?.close();
  vite.removeAllListeners("exit");
  process.kill(-(vite.pid as number));
  await rm(folder, { recursive: true });
});

/** The program with this name on the page, for this service. */
function program(name: string): string {
  const text = page.split(`\`\`\`ts\n// ${name}\n`)[1]?.split("```\n")[0];
  if (!text) throw new Error(`docs/clients.md has no ${name}.`);
  return text.replaceAll("http://127.0.0.1:4000/graphql", service.url);
}

const section = page.split("## A typed query in a new Vite project\n")[1]?.split("\n## ")[0] ?? "";
const commands = [...section.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trim().split("\n"));

async function run(command: string, cwd: string): Promise<string> {
  const running = promisify(execFile)("sh", ["-c", command], { cwd, env: environment });
  const { stdout, stderr } = await running.catch((error) => error);
  return stdout + stderr;
}

test("docs/clients.md leads from nothing to a typed query in a Vite project", async () => {
  expect(commands).toEqual([
    "CORS_ORIGINS=http://localhost:5173 npm start",
    "npm create -y vite@latest reader -- --template vanilla-ts --no-interactive",
    "cd reader",
    "npm install --save-dev @graphql-codegen/cli @graphql-codegen/client-preset graphql",
    "npx graphql-codegen",
    "npx tsc",
    "npm run dev",
  ]);
  // The files of create-vite's template vanilla-ts that the walk needs.
  await cp(new URL("viteTemplate/", import.meta.url), reader, { recursive: true });
  for (const name of ["codegen.ts", "src/main.ts"]) await writeFile(join(reader, name), program(name));
  expect(await run("npx graphql-codegen", reader)).toContain("Generate outputs");
  expect(await run("npx tsc", reader)).toBe("");
  // A field that the query does not select is an error of the compiler.
  await writeFile(join(reader, "src/wrong.ts"), `${program("src/main.ts")}posts?.[0]?.content;\n`);
  expect(await run("npx tsc", reader)).toContain("Property 'content' does not exist");
  if (!hasBrowser) return;
  browser = await openBrowser();
  const opened = await browser.newPage();
  await opened.goto(origin);
  await opened.getByText("Typed, by Ada").waitFor();
});

test("gql.tada infers the types of a query, and graphql-request sends it", async () => {
  await mkdir(tada);
  await symlink(join(root, "node_modules"), join(tada, "node_modules"));
  await cp(join(root, "schema.graphql"), join(tada, "schema.graphql"));
  await writeFile(join(tada, "package.json"), '{ "type": "module" }');
  for (const name of ["writeSchemaTypes.ts", "tada.ts"]) await writeFile(join(tada, name), program(name));
  await run("node writeSchemaTypes.ts", tada);
  await writeFile(
    join(tada, "use.ts"),
    `import { titles } from "./tada.ts"; console.log(await titles("${service.url}", 5));`,
  );
  const options =
    "--strict --module nodenext --target es2024 --noEmit --allowImportingTsExtensions --skipLibCheck --types node";
  expect(await run(`tsc ${options} *.ts`, tada)).toBe("");
  expect(await run("node use.ts", tada)).toBe("[ 'Typed' ]\n");
  await writeFile(
    join(tada, "tada.ts"),
    program("tada.ts").replace("({ title }) => title", "({ content }) => content"),
  );
  expect(await run(`tsc ${options} *.ts`, tada)).toContain("Property 'content' does not exist");
});
