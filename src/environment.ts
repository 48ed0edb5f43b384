// Imported before everything else: Grafast reads this once, when it is loaded, and says so aloud where it is missing.
process.env.GRAPHILE_ENV ??= process.env.NODE_ENV === "production" ? "production" : "development";
