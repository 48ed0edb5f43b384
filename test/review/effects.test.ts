import { join } from "node:path";
import type { Finding } from "../../packages/migration-review/check/finding.ts";
import { rehearse } from "../../packages/migration-review/check/rows/rehearse.ts";
import { openBase } from "../../packages/migration-review/check/sql/git.ts";
import { readMigrationSql } from "../../packages/migration-review/check/sql/migrationSql.ts";
import { resetToBase } from "../../packages/migration-review/shadow.ts";
import { project as reviewed } from "../../src/commands/project.ts";
import { migrationsIn } from "../../src/database/migrations.ts";
import { useProject } from "../support/project.ts";
import { onServer } from "../support/template.ts";

/* The review runs a change on the sample content, and counts what it does to rows, to what callers see, and to what the service does then. */
const project = useProject();
const part = "migrations/current/990-change.sql";
let shadowUrl: string;

beforeAll(async () => {
  shadowUrl = project.environment.SHADOW_DATABASE_URL as string;
  const migrations = migrationsIn(join(project.directory, "migrations"));
  await resetToBase(shadowUrl, { migrations, project: reviewed }, openBase(project.directory, undefined));
  // Each change is tried with sign-ups and sign-ins. As in the databases of other tests, their hashes have the lowest cost.
  await onServer(
    shadowUrl,
    "create or replace function app_private.password_salt() returns text language sql as $$ select app_hidden.gen_salt('bf', 4) $$",
  );
});

/** Without the views of analysts: these compute each day of the past, and would take longer than the rest. */
const tablesOnly = { ...reviewed, publishedSchemas: [] };

/** The findings, with their line, severity and name. */
async function effects(sql: string): Promise<string[]> {
  await project.write(part, sql);
  const migrations = migrationsIn(join(project.directory, "migrations"));
  const base = openBase(project.directory, undefined);
  const context = { directory: project.directory, migrations, project: tablesOnly };
  const { server, rows } = await rehearse(
    shadowUrl,
    context,
    base,
    await readMigrationSql(migrations, base, shadowUrl),
  );
  return [...server, ...rows].map(printed);
}

function printed({ severity, rule, object, message, location }: Finding): string {
  return `${location?.replace(`${part}:`, "") ?? "?"} ${severity} ${rule}:${object} ${message}`;
}

const deletes = (line: number, table: string, count: number, of: number, more = "") =>
  `${line} dangerous rows-deleted:${table} It deletes ${count} of ${of} rows of ${table}${more}.`;
const unnamed = ", which it does not name";

/** Parts of one change, each after the one before. */
const parts: [title: string, sql: string, expected: unknown[]][] = [
  [
    "an update that hides all posts",
    "update app_public.posts set status = 'DRAFT' where is_public;",
    [
      expect.stringMatching(
        /^1 dangerous rows-changed:app_public\.posts It changes status, .* in 40 of 47 rows .* does not name published_at/,
      ),
      expect.stringMatching(
        /^1 dangerous rows-hidden:app_public\.posts Of app_public\.posts, a visitor no longer sees 40 of 40 rows, a member .*, the author /,
      ),
    ],
  ],
  [
    "a row written without the triggers that count it",
    `alter table app_public.follows disable trigger user;
     delete from app_public.follows where (follower_id, followed_id) = (select follower_id, followed_id from app_public.follows limit 1);
     alter table app_public.follows enable trigger user;`,
    [
      deletes(2, "app_public.follows", 1, 39),
      expect.stringMatching(
        /^2 refused derived-data:conventions\.counter_shards .* no longer fits the rows, in \d places/,
      ),
    ],
  ],
  [
    "rows that a function deletes, an update in a do-statement, and a policy that shows drafts, each at its statement",
    `create function app_hidden.clean() returns void language plpgsql as $$ begin
       delete from app_public.follows where followed_id = (select id from app_public.users where name = 'Mei Nakamura');
     end $$;
     select app_hidden.clean();
     do $$ begin
       update app_public.posts set excerpt = 'By Mei' from app_public.users where users.id = author_id and name = 'Mei Nakamura';
     end $$;
     alter policy select_own on app_public.posts using (true);`,
    [
      expect.stringMatching(
        /^4 dangerous rows-deleted:app_public\.follows It deletes \d+ of 38 rows of app_public\.follows, which/,
      ),
      expect.stringMatching(/^5 dangerous rows-changed:app_public\.posts It changes excerpt.* in 4 of 47 rows/),
      expect.stringMatching(/^8 dangerous rows-shown:app_public\.posts .*a member sees 46 rows more than 1,/),
    ],
  ],
  [
    "a check that no new row fulfils",
    "alter table app_public.comments add constraint odd check (text = 'odd') not valid;",
    [
      expect.stringMatching(
        /^1 refused write-fails:app_public\.comments .*An update of app_public\.comments.*odd.* \(23514\)/,
      ),
    ],
  ],
  [
    "a constraint that erasing a user breaks",
    "alter table app_public.messages alter column sender_id set not null;",
    [
      expect.stringMatching(
        /^1 refused write-fails:app_public\.messages .*null value in column "sender_id".* \(23502\)/,
      ),
    ],
  ],
  [
    "a mutation that fails",
    `create or replace function app_public.follow_user(user_id bigint) returns app_public.follow_result language plpgsql volatile as $$
       begin raise exception using errcode = 'XX001', message = 'No more'; end $$;`,
    [expect.stringMatching(/^1 refused write-fails:“follow Carol” as ada .*No more \(XX001\)/)],
  ],
];

describe("in one change", () => {
  const change = parts.map(([, sql]) => sql).join("\n");
  let findings: string[];
  beforeAll(async () => {
    findings = await effects(change);
  });

  test.each(parts)("%s", (_title, sql, expected) => {
    const linesBefore = change.slice(0, change.indexOf(sql)).split("\n").length - 1;
    const rebased = findings.map((text) => text.replace(/^\d+/, (line) => String(Number(line) - linesBefore)));
    expect(rebased).toEqual(expect.arrayContaining(expected));
  });
});

test.each<[title: string, sql: string, expected: unknown[]]>([
  [
    "a user by name, with all that refers to it",
    "select 1;\ndelete from app_public.users where name = 'Mei Nakamura';",
    [
      deletes(2, "app_public.users", 1, 12),
      deletes(2, "app_public.posts", 4, 47, unnamed),
      deletes(2, "app_public.comments", 21, 164, unnamed),
    ],
  ],
  [
    "a statement that fails on rows",
    "alter table app_public.users add column code int not null;",
    [
      expect.stringMatching(
        /^1 dangerous fails-on-rows:rows Fails on the sample content: column "code".* contains null values/,
      ),
    ],
  ],
])("%s", async (_title, sql, expected) => {
  expect(await effects(sql)).toEqual(expect.arrayContaining(expected));
});

test("new tables, columns, functions and comments have no effect on rows", async () => {
  expect(
    await effects(`
      create table app_public.notes (id bigint primary key, text text);
      insert into app_public.notes values (1, 'x');
      delete from app_public.notes;
      alter table app_public.posts add column subtitle text, add column stars int not null default 3;
      alter table app_public.chats rename column title to heading;
      alter table app_public.chats rename column heading to title;
      create function app_hidden.nothing() returns void language sql as '';
      comment on table app_public.posts is 'Posts.';
      insert into app_private.jobs (name, statement) values ('odd', 'select true, 0 where $1 > 0');`),
  ).toEqual([]);
});

test.each<[sql: string, object: string]>([
  ["alter role :API_LOGIN set statement_timeout = '1ms';", "settings of api_login in all databases"],
  ["alter role :API_LOGIN nologin;", "role api_login"],
  ["do $$ begin alter role api_member rename to gone; end $$;", "role api_member"],
  ["do $$ begin execute 'create role ' || 'odd_' || 'role'; end $$;", "role odd_role"],
  ["grant :API_MEMBER to :ANALYST;", "membership of analyst in api_member, granted by postgres"],
  ["alter role all set work_mem = '1MB';", "settings of all roles in all databases"],
  ["comment on role :API_MEMBER is 'odd';", "comment on pg_authid"],
  ["alter database template1 connection limit 7;", "database template1"],
  ["grant set on parameter work_mem to :API_MEMBER;", "parameter work_mem"],
  ["alter system set work_mem = '1MB';", "a setting of the server"],
  ["select pg_create_physical_replication_slot('odd');", "pg_create_physical_replication_slot()"],
  ["copy app_public.users to program 'cat';", "a program or writes a file on the server"],
  ["create database odd;", "outside of a transaction"],
  ["select 1; commit; alter role :API_LOGIN nologin;", "the transaction of its migration"],
])("%s is refused", async (sql, object) => {
  const [found] = await effects(sql);
  expect(found).toMatch(new RegExp(`^1 refused server-wide:${object.replace(/[()]/g, "\\$&")}`));
});
