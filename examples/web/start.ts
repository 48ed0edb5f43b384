import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

/* Starts the service as `npm start` does, and then Vite. Ctrl-C reaches both, and Vite ends with the service. */
const main = fileURLToPath(new URL("../../src/start.js", import.meta.url));
const service = spawn(process.execPath, [main], { stdio: ["inherit", "pipe", "inherit"] });
service.on("exit", (code) => process.exit(code ?? 1));
process.on("SIGINT", () => {});
process.on("SIGTERM", () => service.kill());

const url = await new Promise<string>((resolve) => {
  let output = "";
  service.stdout.on("data", (chunk) => {
    process.stdout.write(chunk);
    output += chunk;
    const found = /GraphQL +(http\S+)\/graphql/.exec(output)?.[1];
    if (found) resolve(found);
  });
});
process.env["SERVICE_URL"] = url;
const vite = await createServer({ configFile: fileURLToPath(new URL("vite.config.ts", import.meta.url)) });
await vite.listen();
console.log(`  Example    ${vite.resolvedUrls?.local[0]}\n`);
