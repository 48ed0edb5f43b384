import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Imported first: Grafast reads this once, when it is loaded, and prints a warning when it is missing. In its development mode the engine
// prints clients' mistakes beside the log; the tests run it in that mode.
process.env.GRAPHILE_ENV ??= "production";

// Half of a start is compiling. What is imported after this module is kept, so the programs import the rest dynamically. The temporary
// directory, Node's default, is open to other users of the machine, who could leave code there.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)));
