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

/* A client whose types come from the schema, made as docs/libraries.md says. */
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/libraries.md"), "utf8");
const folder = await mkdtemp(join(tmpdir(), "content-service-clients-"));
const reader = join(folder, "reader");
/** As npm's own for scripts. */
const environment = { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${process.env.PATH}` };

/* The page's origin is a setting of the service. So Vite starts first, and finds its files later. */
await mkdir(join(reader, "src"), { recursive: true });
await symlink(join(root, "node_modules"), join(reader, "node_modules"));
await writeFile(join(reader, "package.json"), '{ "type": "module" }');
const vite = spawn("vite", ["--port", "0"], { cwd: reader, env: environment, detached: true });
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
  const text = page.split(`\n// ${name}\n`)[1]?.split("```\n")[0];
  if (!text) throw new Error(`docs/libraries.md has no ${name}.`);
  return text.replaceAll("http://127.0.0.1:4000/graphql", service.url);
}

const section = page.split("## A typed query in a new Vite project\n")[1]?.split("\n## ")[0] ?? "";
const commands = [...section.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) => block.trim().split("\n"));

async function run(command: string, cwd: string): Promise<string> {
  const running = promisify(execFile)("sh", ["-c", command], { cwd, env: environment });
  const { stdout, stderr } = await running.catch((error) => error);
  return stdout + stderr;
}

test("docs/libraries.md leads from nothing to a typed query in a Vite project", async () => {
  expect(commands).toEqual([
    "CORS_ORIGINS=http://localhost:5173 npm start",
    "npm create -y vite@latest reader -- --template vanilla-ts --no-interactive",
    "cd reader",
    "npm install gql.tada graphql graphql-request",
    "node writeSchemaTypes.mjs",
    "npx tsc",
    "npm run dev",
  ]);
  // The files of create-vite's template vanilla-ts that the walk needs.
  await cp(new URL("viteTemplate/", import.meta.url), reader, { recursive: true });
  for (const name of ["writeSchemaTypes.mjs", "src/main.ts"]) await writeFile(join(reader, name), program(name));
  expect(await run("node writeSchemaTypes.mjs", reader)).toBe("");
  // Apollo Client and urql take the same documents, as strictly.
  const others = `import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { Client, fetchExchange } from "@urql/core";
import { initGraphQLTada } from "gql.tada";
import type { introspection } from "./graphql-env";

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { ID: string; Timestamp: string; Cursor: string } }>();
const post = graphql("query Post($id: ID!) { post(id: $id) { title version } }");
const update = graphql(
  "mutation Update($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { version } }",
);
const apollo = new ApolloClient({ link: new HttpLink({ uri: "/graphql" }), cache: new InMemoryCache() });
const urql = new Client({ url: "/graphql", exchanges: [fetchExchange], preferGetMethod: false });
export const titles: (string | undefined)[] = [
  (await apollo.query({ query: post, variables: { id: "1" } })).data?.post?.title,
  (await urql.query(post, { id: "1" })).data?.post?.title,
];
await urql.mutation(update, { id: "1", input: { publishAt: null } });
// @ts-expect-error A status is one of two.
await urql.mutation(update, { id: "1", input: { status: "HIDDEN" } });
// @ts-expect-error The id is missing.
await urql.query(post, {});
`;
  await writeFile(join(reader, "src/others.ts"), others);
  const wrong = program("src/main.ts").replace("{ limit: 5 }", "{}");
  await writeFile(join(reader, "src/wrong.ts"), `${wrong}posts?.[0]?.content;\nposts[0];\n`);
  const faults = await run("tsc", reader);
  // Of its three files, two have none. Further lines of an error are indented.
  expect(faults.split("\n").filter((line) => /^\S/.test(line) && !line.startsWith("src/wrong.ts("))).toEqual([]);
  expect(faults).toContain("Property 'content' does not exist");
  expect(faults).toContain("'posts' is possibly 'null'");
  expect(faults).toContain("'limit' is missing");
  if (!hasBrowser) return;
  browser = await openBrowser();
  const opened = await browser.newPage();
  await opened.goto(origin);
  await opened.getByText("Typed, by Ada").waitFor();
});
