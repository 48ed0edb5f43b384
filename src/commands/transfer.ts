import "../environment.js";

/* The program of `npm run import` and `npm run export`. */

const { openDatabases } = await import("graphile-migrate-review");
const { main } = await import("./transfer/main.ts");
const { project } = await import("./project.ts");

process.exitCode = await main(process.argv.slice(2), () => openDatabases(process.env, project));
