import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Queue } from "../support/Queue.ts";

/* `npm run dev`, on a small program in place of the service. It prints what its files hold, and when it is stopped. */
const dev = fileURLToPath(new URL("../../tools/dev/main.ts", import.meta.url));
const program = `import { readFileSync } from "node:fs";
process.on("SIGTERM", () => setImmediate(() => process.exit(console.log("stopped"))));
setInterval(() => {}, 1e6);
console.log(["src", "plugins", "packages/feed"].map((folder) => readFileSync(folder + "/text.ts", "utf8").trim()).join());
`;
const directory = mkdtempSync(join(tmpdir(), "content-service-dev-"));
const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
const git = (...parameters: string[]) => execFileSync("git", parameters, { cwd: directory, stdio: "pipe" });
let running: ChildProcess;
const lines = new Queue<string>();

beforeAll(async () => {
  for (const folder of ["src", "plugins", "packages/feed"]) {
    mkdirSync(join(directory, folder), { recursive: true });
    write(`${folder}/text.ts`, "committed");
  }
  write("src/start.js", program);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--message=First");
  running = spawn(process.execPath, [dev], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: running.stdout as Readable }).on("line", (line) => lines.add(line));
  await untilPrinted("committed,committed,committed");
});
afterAll(() => {
  running.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

async function untilPrinted(text: string): Promise<void> {
  while ((await lines.next()) !== text) {}
}

const waysToSave: [way: string, save: (file: string) => void, saved?: string][] = [
  ["written in place", (file) => write(file, "saved")],
  ["appended to", (file) => appendFileSync(join(directory, file), " and saved"), "committed and saved"],
  ["replaced by a renamed one", replace],
  ["changed by sed -i", (file) => execFileSync("sed", ["-i", "s/.*/saved/", file], { cwd: directory })],
  ["removed and created", recreate],
  ["in a new folder", moveFolder],
];

function replace(file: string): void {
  write("draft", "saved");
  renameSync(join(directory, "draft"), join(directory, file));
}

function recreate(file: string): void {
  rmSync(join(directory, file));
  write(file, "saved");
}

function moveFolder(file: string): void {
  const folder = join(directory, dirname(file));
  renameSync(folder, join(directory, "earlier"));
  cpSync(join(directory, "earlier"), folder, { recursive: true });
  rmSync(join(directory, "earlier"), { recursive: true });
  write(file, "saved");
}

describe.each(waysToSave)(
  "a file that is %s, and then restored by git checkout, starts the service again",
  (_way, save, saved = "saved") => {
    test.each([
      ["src/text.ts", `${saved},committed,committed`],
      ["plugins/text.ts", `committed,${saved},committed`],
      ["packages/feed/text.ts", `committed,committed,${saved}`],
    ])("%s", async (file, printed) => {
      save(file);
      await untilPrinted(printed);
      git("checkout", "--quiet", file);
      await untilPrinted("committed,committed,committed");
    });
  },
);

test("a service that fails starts again after the next change", async () => {
  write("src/start.js", "console.log('about to fail'); process.exit(1);");
  await untilPrinted("about to fail");
  git("checkout", "--quiet", "src/start.js");
  await untilPrinted("committed,committed,committed");
});

test("each service is stopped before the next one starts, and the last one with the program", async () => {
  running.kill("SIGTERM");
  expect(await once(running, "exit")).toEqual([0, null]);
  const turns = lines.all
    .filter((line) => /^stopped$|,/.test(line))
    .map((line) => (line === "stopped" ? line : "started"));
  expect(turns.length).toBeGreaterThan(60);
  expect(turns).toEqual(turns.map((_turn, index) => (index % 2 ? "stopped" : "started")));
});
