import { join } from "node:path";
import { changeConnection, checkConnectionString } from "@content-service/support/connectionString.ts";
import type { Project } from "graphile-migrate-review";
import { parse } from "pg-connection-string";
import { createRoles, ensureRoles } from "../database/ensureRoles.ts";
import { migrationOptions } from "../database/migrations.ts";
import { roles } from "../database/roles.ts";
import { databaseRights } from "./databaseRights.ts";
import { untriedStreams } from "./untriedStreams.ts";

/** What the `db:` commands know of this service. Each part is loaded when a command needs it. */
export const project: Project = {
  // Those of conventions.is_covered(): the publication's, and those of its infrastructure.
  schemas: "^(app_|change_feed$|conventions$|rollups$)",
  publishedSchemas: ["analytics"],
  // Written by hooks: conventions.renew_validators(), renew_columns() and what they renew beside them.
  generated: {
    functions:
      "^(conventions\\.(validate_|searched_texts$)|app_public\\.(post_revisions|working_copies)_(?!(tags|version)$))",
    triggers: "^(conventions\\.|app_hidden\\.tg_posts__keep_revision$)",
    tables:
      "^(conventions|change_feed|rollups|app_private\\.(post_words|inbox_changes|idempotency_keys)$|app_public\\.audit_trail$)",
  },
  api: {
    file: "schema.graphql",
    schema: "app_public",
    roles: {
      anonymous: roles.anonymous,
      member: roles.member,
      // A policy that does more than ask for an admin counts as open to its roles.
      adminPolicy: "^\\( SELECT app_hidden\\.viewer_(may|is_admin)\\(",
      ownerPolicy: "^\\(+\\w+ = \\( SELECT app_hidden\\.viewer_id\\(",
    },
    async readSchema(ownerUrl, environment, ...plugins) {
      const { readSchema } = await import("./readSchema.ts");
      return readSchema(await apiLogin(ownerUrl, environment), { plugins: plugins as GraphileConfig.Plugin[] });
    },
    async snapshots(schema) {
      const { printNames, servedNamesFile } = await import("../graphql/schema/servedNames.ts");
      const { servedNamesOf } = await import("postgraphile-compiled-preset");
      return [[servedNamesFile, printNames(servedNamesOf(schema))]];
    },
    async readLeftOut(url) {
      const { readSchema } = await import("./readSchema.ts");
      return (await readSchema(url, { ignoresWrongTags: true })).leftOut;
    },
  },
  runningVersion: {
    login: roles.login,
    // The `db:` commands and the import run apart from the service; some of them were in src/dba, src/migrations and in packages.
    files: [
      "src/*.ts",
      "plugins/*.ts",
      "packages/*.ts",
      ":!packages/migration-review",
      ":!packages/transfer",
      ":!packages/*/test/*",
      ":!plugins/test",
      ":!src/commands",
      ":!src/dba",
      ":!src/migrations",
      ":!src/transfer",
    ],
  },
  advice: {
    "update-all-rows":
      "Name the rows that need it: where … is null. On a large table, a job updates them in batches: app_private.update_in_batches().",
    "require-concurrent-index-creation":
      "On a large table: use create index if not exists in this migration, and run {command index} before it: migrations/README.md.",
    "renaming-column":
      "Call conventions.rename_column(), which takes along what names the column: migrations/README.md, “How to change what others use”. " +
      "Statements that run meanwhile fail.",
    "running-version":
      "Add what is new beside it, and take the old away in a later release, when no instance needs it any more (migrations/README.md, " +
      "“Releases side by side”). If none runs: {command check --allow OBJECT}",
  },
  migrations: migrationOptions,
  prepareServer: createRoles,
  async openDatabase({ DATA_DIR }) {
    const { borrowEmbeddedPostgres } = await import("../embedded/embedded.ts");
    const { url, giveBack } = await borrowEmbeddedPostgres(join(DATA_DIR || ".data", "postgres"));
    return { url, close: giveBack };
  },
  sampleContent: {
    file: "src/migrations/sample-content.sql",
    async load(ownerUrl, file) {
      const { loadSampleContent } = await import("../migrations/sampleContent.ts");
      return loadSampleContent(ownerUrl, file);
    },
  },
  callers: async (client) => (await import("./tryOut.ts")).callers(client),
  acts: async (client, directory) => (await import("./tryOut.ts")).acts(client, directory),
  derivedData: "select * from app_private.check_derived_data()",
  async snapshots(client) {
    const { publicationSnapshots } = await import("./snapshots/publicationSnapshots.ts");
    return publicationSnapshots(client);
  },
  problems: "select subject as object, problem, repair from app_private.problems(true)",
  status: async (client) => [...(await databaseRights(client)), ...(await untriedStreams(client))],
  commands: { explain: async () => (await import("./explain.ts")).explainCommand },
};

/** The connection string of the API's login to a database: the login of API_DATABASE_URL, where it is set. */
async function apiLogin(url: string, { API_DATABASE_URL }: NodeJS.ProcessEnv): Promise<string> {
  if (!API_DATABASE_URL) return ensureRoles(url);
  const { user = "", password = "" } = parse(checkConnectionString(API_DATABASE_URL));
  return changeConnection(url, { user, password });
}
