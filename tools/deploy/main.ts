import { constants } from "node:os";
import { readOptions } from "../support/readOptions.ts";
import { Missing } from "./Missing.ts";
import type { Say } from "./prepare.ts";
import { allTrials, shortTrials, tryCompose } from "./tryCompose.ts";
import { tryKubernetes } from "./tryKubernetes.ts";

const forms: Record<string, (rest: AsyncDisposableStack, say: Say) => Promise<void>> = {
  compose: (rest, say) => tryCompose(allTrials, rest, say),
  short: (rest, say) => tryCompose(shortTrials, rest, say),
  kubernetes: tryKubernetes,
};
const { positionals } = readOptions({
  script: "deploy:try",
  purpose:
    "Builds the image and tries the files of deploy/ in containers: all of compose.yaml (the default) or in short, or the pods of kubernetes/base.",
  positionals: `[${Object.keys(forms).join("|")}]`,
  known: Object.keys(forms),
});

const from = performance.now();
const rest = new AsyncDisposableStack();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    console.log("Removes what was started.");
    await rest.disposeAsync().catch(({ message }) => console.error(message));
    process.exit(128 + constants.signals[signal]);
  });
}
try {
  for (const form of positionals.length > 0 ? positionals : ["compose"]) await forms[form]?.(rest, console.log);
} catch (error) {
  if (!rest.disposed) {
    console.error(`FAILED ${(error as Error).message}`);
    process.exitCode = error instanceof Missing ? 2 : 1;
  }
}
if (!rest.disposed) {
  await rest.disposeAsync();
  console.log(
    `deploy:try: ${process.exitCode ? "failed" : "passed"}, in ${Math.round((performance.now() - from) / 1_000)} s`,
  );
  // The callers of a trial that has failed go on.
  process.exit();
}
