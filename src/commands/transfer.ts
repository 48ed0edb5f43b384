import "../environment.ts";

/* The program of `npm run import` and `npm run export`. */

const { openDatabases } = await import("@content-service/migration-review/commands/databases.ts");
const { main } = await import("@content-service/transfer/main.ts");
const { service } = await import("./service.ts");

process.exitCode = await main(process.argv.slice(2), () => openDatabases(process.env, service));
