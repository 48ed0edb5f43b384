import "../environment.js";

/* The program of `npm run db:<name>`. */

const { runProgram } = await import("graphile-migrate-review");
const { projectRoot } = await import("../database/migrations.ts");
const { project } = await import("./project.ts");

await runProgram(projectRoot, project);
