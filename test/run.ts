import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { processorSeconds } from "./support/processorTime.ts";

/**
 * `npm test`: lint, types and the packages' own tests beside the tests. Prints the tests as they run, then what the others found, then how
 * long it took, and the processor time of all processes and of PostgreSQL. (Of the embedded servers that single tests start and stop as a
 * service does, the time is not counted.) Arguments are Jest's.
 */
const directory = mkdtempSync(join(tmpdir(), "content-service-run-"));
const serverTimes = join(directory, "servers");
writeFileSync(serverTimes, "");
process.env["TEST_SERVER_TIMES"] = serverTimes;
const started = performance.now();
const lint = run("lint");
const packages = run("test", "--workspaces", "--if-present");
const jest = spawn("npm", ["run", "--silent", "jest", "--", ...process.argv.slice(2)], { stdio: "inherit" });

const [status] = await once(jest, "close");
const outcome = [`lint ${await lint}`, `packages ${await packages}`, `tests ${status === 0 ? "passed" : "failed"}`];
const used = processorSeconds(serverTimes);
rmSync(directory, { recursive: true });
const clock = `${Math.round((performance.now() - started) / 1_000)} s`;
const processor = used === undefined ? "" : `, with ${Math.round(used)} s of processor time`;
console.log(`npm test: ${outcome.join(", ")}, in ${clock}${processor}`);
if (outcome.join().includes("failed")) process.exitCode = 1;

/** Runs an npm script, and prints what it says if it fails. */
async function run(...args: string[]): Promise<"passed" | "failed"> {
  const script = spawn("npm", ["run", "--silent", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [code]] = await Promise.all([text(script.stdout), text(script.stderr), once(script, "close")]);
  if (code === 0) return "passed";
  process.stdout.write(`\nnpm run ${args.join(" ")}:\n${output}${errors}`);
  return "failed";
}
