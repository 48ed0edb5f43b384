// Imported first: Grafast reads this once, when it is loaded, and prints a warning when it is missing.
process.env.GRAPHILE_ENV ??= process.env.NODE_ENV === "production" ? "production" : "development";
