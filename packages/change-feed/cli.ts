#!/usr/bin/env node
import { parseArgs } from "node:util";
import pg from "pg";
import { changeFeedSql, installChangeFeed } from "./install.ts";

const usage = `postgraphile-change-feed install   installs or upgrades the feed in DATABASE_URL
postgraphile-change-feed sql       prints the SQL, for a migration tool

  --login <role>          the login of the service
  --anonymous <role>      the role of visitors
  --member <role>         the role of signed-in users
  --schema <name>         change_feed
  --viewer-setting <name> app.viewer_id
  --silent-setting <name> app.is_import
  --from <version>        of sql: the version that the database has; 0 for none`;

const role = { type: "string" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    login: role,
    anonymous: role,
    member: role,
    schema: role,
    "viewer-setting": role,
    "silent-setting": role,
    from: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
const { login, anonymous, member, schema, from } = values;
const [command] = positionals;

try {
  if (values.help || !login || !anonymous || !member || !(command === "sql" || command === "install")) {
    console.log(usage);
    process.exitCode = values.help ? 0 : 2;
  } else {
    const names = {
      roles: { login, anonymous, member },
      ...(schema && { schema }),
      ...(values["viewer-setting"] && { viewerSetting: values["viewer-setting"] }),
      ...(values["silent-setting"] && { silentSetting: values["silent-setting"] }),
    };
    if (command === "sql") console.log(changeFeedSql(names, { from: Number(from) }));
    else await install(names);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function install(names: Parameters<typeof installChangeFeed>[1]): Promise<void> {
  const connectionString = process.env["DATABASE_URL"];
  if (!connectionString) throw new Error("DATABASE_URL is the connection string of the schema’s owner");
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const versions = await installChangeFeed(client, names);
    console.log(
      versions.from === versions.to
        ? `version ${versions.to} is there`
        : `version ${versions.from} is ${versions.to} now`,
    );
  } finally {
    await client.end();
  }
}
