// Imported first: Grafast reads this once, when it is loaded, and prints a warning when it is missing. In its development mode the engine
// prints clients' mistakes beside the log; the tests run it in that mode.
process.env.GRAPHILE_ENV ??= "production";
