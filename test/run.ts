import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/**
 * `npm test`: lint and types beside the tests. Prints the tests as they run, then what lint found, then how long it took.
 * Arguments are Jest's.
 */
const started = performance.now();
const lint = spawn("npm", ["run", "--silent", "lint"], { stdio: ["ignore", "pipe", "pipe"] });
const lintEnds = Promise.all([text(lint.stdout), text(lint.stderr), once(lint, "close")]);
const jest = spawn("npm", ["run", "--silent", "jest", "--", ...process.argv.slice(2)], { stdio: "inherit" });

const [status] = await once(jest, "close");
const [output, errors, [lintStatus]] = await lintEnds;
if (lintStatus !== 0) process.stdout.write(`\nnpm run lint:\n${output}${errors}`);
const outcome = [`lint ${lintStatus === 0 ? "passed" : "failed"}`, `tests ${status === 0 ? "passed" : "failed"}`];
console.log(`npm test: ${outcome.join(", ")}, in ${Math.round((performance.now() - started) / 1_000)} s`);
process.exitCode = lintStatus || status;
