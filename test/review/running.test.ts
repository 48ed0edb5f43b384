import { withClient } from "@content-service/support/withClient.ts";
import type { RunningVersion } from "graphile-migrate-review";
import {
  compareServiceParts,
  readServiceParts,
  serviceMentions,
  servicePlaces,
} from "../../packages/migration-review/check/catalogue/serviceParts.ts";
import { openBase } from "../../packages/migration-review/check/sql/git.ts";
import { schemasOf } from "../../packages/migration-review/schemas.ts";
import { project } from "../../src/commands/project.ts";
import { projectRoot } from "../../src/database/migrations.ts";
import { useDatabase } from "../support/database.ts";

/* During a roll-out, instances of the running version serve on a database that is migrated already. The review refuses what they cannot live with. */
const database = useDatabase();
const running = project.runningVersion as RunningVersion;
const base = openBase(projectRoot, undefined);
const places = new Map(
  [
    "app_hidden.identify",
    "app_private.is_verified",
    "change_feed.notification_channels",
    "app_hidden.publish_due_posts",
  ].map((name) => [name, "src/some.ts:1"]),
);

/** The findings of the review for `sql`, which is rolled back. */
function messages(sql: string): Promise<string[]> {
  return withClient(database.ownerUrl, async (client) => {
    await client.query("begin; alter table change_feed.notification_channels add column colour text");
    const before = await readServiceParts(client, [...places.keys()], running.login);
    await client.query(sql);
    const after = await readServiceParts(client, [...places.keys()], running.login);
    const isMentioned = (column: string) => serviceMentions(running, base, column);
    return compareServiceParts(before, after, places, isMentioned).map(({ message }) =>
      message.replace(/\. The running.*/, ""),
    );
  });
}

test("the functions and relations that the service names are found in its source, and all of them in the database", async () => {
  const found = servicePlaces(
    running,
    base,
    await withClient(database.ownerUrl, (client) => schemasOf(client, project)),
  );
  expect(found.get("app_hidden.identify")).toMatch(/^src\/database\/requestAccess\.ts:\d+$/);
  expect([...found.keys()]).toEqual(
    expect.arrayContaining([
      ...places.keys(),
      "app_private.count_rate_limited_calls",
      "app_private.run_job",
      "rollups.refresh",
      "change_feed.read_streams",
    ]),
  );
  // Neither a README nor a test.
  expect([...found.values()].filter((place) => !/^(?!.*\/test\/).*\.ts:\d+$/.test(place))).toEqual([]);
  // Only comments name it.
  expect([...found.keys()]).not.toContain("conventions.raise_validation_errors");
});

test.each([
  ["nothing", "select 1"],
  ["a new body", "do $$ begin execute pg_get_functiondef('app_private.is_verified'::regproc); end $$"],
  ["a further column", "alter table change_feed.notification_channels add column note text"],
  ["a column of one's own, dropped", "alter table change_feed.notification_channels drop column colour"],
  ["a column of one's own, renamed", "alter table change_feed.notification_channels rename colour to hue"],
  ["a function that only SQL calls", "drop function app_hidden.require_row"],
  [
    "a further argument with a default, instead of the old function",
    `drop function app_private.is_verified;
     create function app_private.is_verified(user_id bigint, strictly boolean default true) returns boolean return true;
     grant execute on function app_private.is_verified to api_login`,
  ],
])("%s: no finding", async (_title, sql) => {
  expect(await messages(sql)).toEqual([]);
});

test.each([
  ["drop function app_private.is_verified", "app_private.is_verified(bigint) is no longer there"],
  ["alter function app_private.is_verified rename to is_good", "app_private.is_verified(bigint) is no longer there"],
  [
    "drop function app_private.is_verified; create function app_private.is_verified(text) returns boolean return true",
    "app_private.is_verified(bigint) is no longer there, only app_private.is_verified(text)",
  ],
  [
    "create function app_private.is_verified(bigint, text default '') returns boolean return true",
    "app_private.is_verified(bigint) can no longer be told from app_private.is_verified(bigint,text): a call fits both",
  ],
  [
    `drop function app_private.is_verified; create function app_private.is_verified(bigint) returns int return 1;
     grant execute on function app_private.is_verified to api_login`,
    "app_private.is_verified(bigint) has another type: its result is integer, and was boolean",
  ],
  [
    "revoke execute on function app_private.is_verified from api_login, api_anonymous, api_member, public",
    "app_private.is_verified(bigint) can no longer be used by its login: a right is revoked",
  ],
  [
    "alter table change_feed.notification_channels rename column name to channel",
    "change_feed.notification_channels has lost a column: name, text",
  ],
])("%s: %s", async (sql, message) => {
  expect(await messages(sql)).toEqual([message]);
});
