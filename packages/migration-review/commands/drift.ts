import { readFileSync } from "node:fs";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { type Behaviours, readBehaviours } from "../check/catalogue/behaviours.ts";
import { aroundOf, textOf } from "../check/catalogue/compareBehaviours.ts";
import { checkCommitted } from "../migrations/committed.ts";
import { hasCurrent, migrateCurrent } from "../migrations/migrate.ts";
import type { Command, Project } from "../Project.ts";
import { schemasOf } from "../schemas.ts";
import { resetShadow, withShadow } from "../shadow.ts";

/** `drift`: names what differs between the database and its migrations, such as a change by hand. Its exit status is then 1. */
export const driftCommand: Command = {
  options: {},
  run: (context) =>
    withShadow(context, async (shadowUrl) => {
      const { commandLine, databases, migrations, output, project } = context;
      const [pending] = await checkCommitted(migrations, databases.url);
      if (pending) {
        throw new OperatorError(
          `The database has not run ${pending.realFilename}: ${commandLine("migrate")}. Then look again.`,
        );
      }
      await resetShadow(shadowUrl, context);
      if (await hasCurrent(migrations.folder)) await migrateCurrent(shadowUrl, migrations);
      const drift = differences(await readThings(shadowUrl, project), await readThings(databases.url, project));
      output.log(drift.length > 0 ? drift.join("\n") : "The database is as its migrations make it.");
      return drift.length > 0 ? 1 : 0;
    }),
};

/** The things that the review compares, and those that it need not: indexes, and the values of enums. */
function readThings(url: string, project: Project): Promise<Behaviours> {
  return withClient(url, async (client) => {
    await client.query("begin read only");
    const things = await readBehaviours(client, project);
    const { rows } = await client.query<{ thing: string; values: string }>(query, [await schemasOf(client, project)]);
    for (const { thing, values } of rows) things.set(thing, new Map([["values", values]]));
    return things;
  });
}

const query = readFileSync(new URL("drift.sql", import.meta.url), "utf8");

/** Numbers that each database gives for itself. */
const ownNumbers = new Set(["identity", "file"]);

function differences(migrated: Behaviours, database: Behaviours): string[] {
  return [...new Set([...migrated.keys(), ...database.keys()])].sort().flatMap((thing) => {
    const [expected, found] = [migrated.get(thing), database.get(thing)];
    if (!expected) return isInside(thing, migrated, database) ? [] : [`No migration makes the ${thing}.`];
    if (!found) return isInside(thing, database, migrated) ? [] : [`The database lacks the ${thing}.`];
    const changed = [...new Set([...expected.keys(), ...found.keys()])].filter(
      (name) => !ownNumbers.has(name) && expected.get(name) !== found.get(name),
    );
    // A comment has the tags.
    const told = changed.includes("comment") ? changed.filter((name) => name !== "tags") : changed;
    const texts = told.map((name) => textOf(name, expected.get(name), found.get(name)));
    return texts.length > 0 ? [`The ${thing}: ${texts.join("; ")}.`] : [];
  });
}

/** Whether it is a part of a table or view that one side lacks: the line of that says enough. */
function isInside(thing: string, lacking: Behaviours, having: Behaviours): boolean {
  const around = aroundOf(thing, having);
  return around !== undefined && around !== thing && !lacking.has(around);
}
