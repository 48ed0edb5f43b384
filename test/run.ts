import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/**
 * `npm test`: lint, types and the packages' own tests beside the tests. Prints the tests as they run, then what the others found, then how
 * long it took. Arguments are Jest's.
 */
const started = performance.now();
const lint = run("lint");
const packages = run("test", "--workspaces", "--if-present");
const jest = spawn("npm", ["run", "--silent", "jest", "--", ...process.argv.slice(2)], { stdio: "inherit" });

const [status] = await once(jest, "close");
const outcome = [`lint ${await lint}`, `packages ${await packages}`, `tests ${status === 0 ? "passed" : "failed"}`];
console.log(`npm test: ${outcome.join(", ")}, in ${Math.round((performance.now() - started) / 1_000)} s`);
if (outcome.join().includes("failed")) process.exitCode = 1;

/** Runs an npm script, and prints what it says if it fails. */
async function run(...args: string[]): Promise<"passed" | "failed"> {
  const script = spawn("npm", ["run", "--silent", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [code]] = await Promise.all([text(script.stdout), text(script.stderr), once(script, "close")]);
  if (code === 0) return "passed";
  process.stdout.write(`\nnpm run ${args.join(" ")}:\n${output}${errors}`);
  return "failed";
}
