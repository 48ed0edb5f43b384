import { createRequire } from "node:module";

/*
 * graphile-migrate minifies a migration to find out whether it is empty, or has changed. pg-minify knows no dollar quotes: an apostrophe
 * between them is an error. Then the text itself answers both questions. Imported before graphile-migrate, which keeps the function.
 */
const require = createRequire(import.meta.resolve("graphile-migrate"));
const minify: (sql: string) => string = require("pg-minify");

function minifyIfPossible(sql: string): string {
  try {
    return minify(sql);
  } catch {
    return sql.trim();
  }
}

const loaded = require.cache[require.resolve("pg-minify")];
if (!loaded) throw new Error("pg-minify is not where graphile-migrate finds it.");
loaded.exports = minifyIfPossible;
