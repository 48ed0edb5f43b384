import "../environment.ts";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";

/* The program of `npm run db:<name>`. */

const { isTemporary } = await import("@content-service/support/withClient.ts");
const { main } = await import("@content-service/migration-review/commands/main.ts");
const { service } = await import("./service.ts");

// A connection of graphile-migrate that breaks emits an error that it does not listen for. The statement under way fails as well, and
// main() reports that.
process.on("uncaughtException", (error) => {
  if (isTemporary(error)) return;
  console.error(error);
  process.exit(1);
});

function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
  return stop.signal;
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

const directory = fileURLToPath(new URL("../../", import.meta.url));
process.exitCode = await main(process.argv.slice(2), {
  directory,
  environment: process.env,
  service,
  output: console,
  ask: process.stdin.isTTY ? ask : undefined,
  interruption,
});
