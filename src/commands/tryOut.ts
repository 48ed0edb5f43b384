import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tableRows } from "@content-service/support/markdownTable.ts";
import type { Act, Caller } from "graphile-migrate-review";
import type { ClientBase } from "pg";
import { roles } from "../database/roles.ts";

/**
 * Takes the roles of the API's callers, in a transaction that is undone: the owner may grant them, and need not be a member.
 *
 * @returns false if the owner may not
 */
async function mayBecome(client: ClientBase): Promise<boolean> {
  const names = [roles.anonymous, roles.member, roles.analyst];
  // From PostgreSQL 16 on, a member may be without the right to take the role.
  const { rows } = await client.query<{ right: string }>(
    "select case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end as right",
  );
  const right = rows[0]?.right;
  const missing = async () =>
    (
      await client.query<{ role: string }>(
        "select role from unnest($1::text[]) as role where not pg_has_role(role, $2)",
        [names, right],
      )
    ).rows;
  for (const { role } of await missing()) {
    await client.query(
      `do $$ begin grant ${role} to current_user; exception when insufficient_privilege then null; end $$`,
    );
  }
  return (await missing()).length === 0;
}

/** Callers of the API by what they see, and an analyst. The author has the most posts, the member the fewest. */
export async function callers(client: ClientBase): Promise<Caller[]> {
  if (!(await mayBecome(client))) return [];
  const { rows } = await client.query<{ name: string; id: string }>(`
    select distinct on (name) name, id::text
      from (select case when role = 'ADMIN' then 'an admin' else kind end as name, id, place
              from app_public.users
             cross join lateral (select count(*) as posts from app_public.posts where author_id = users.id) as counted
             cross join lateral (values ('a member', -posts), ('the author', posts)) as kinds (kind, place)) as people
     order by name, place desc, id`);
  return [
    visitor,
    ...rows.map(({ name, id }) => ({ name, become: becoming(roles.member, id) })),
    { name: "an analyst", become: `set local role ${roles.analyst}` },
  ];
}

/**
 * What is done by the page of the permissions, by those who may: its people are the first users of the sample content. Then erasing users, and each
 * job.
 */
export async function acts(client: ClientBase, directory: string): Promise<Act[]> {
  const page = await readFile(join(directory, "migrations/permissions.md"), "utf8");
  const section = page.split(/^## /m).find((text) => text.startsWith("Writing\n")) ?? "";
  const [header = [], , ...rows] = tableRows(section);
  const place = header.indexOf("in SQL");
  const { rows: own } = await client.query<Act>(`
    select 'erasing user ' || id as name, format('select app_private.erase_user(%L)', id) as sql from app_public.users where id <= 4
    union all
    select 'the job ' || name, regexp_replace(statement, '\\$1\\M', '100', 'g') from app_private.jobs`);
  const isPossible = await mayBecome(client);
  return [
    ...(isPossible ? rows : []).flatMap((cells) => {
      const sql = cells[place] ?? "";
      // What a visitor may do is the same for others.
      const tried = cells[header.indexOf("nobody")] === "done" ? ["nobody"] : Object.keys(people);
      return tried
        .filter((person) => sql !== "" && cells[header.indexOf(person)] === "done")
        .map((person) => ({ name: `“${cells[0]}” as ${person}`, sql, caller: people[person] as Caller }));
    }),
    ...own,
  ];
}

function becoming(role: string, viewerId: string): string {
  return `select set_config('role', '${role}', true), set_config('app.viewer_id', '${viewerId}', true)`;
}

const visitor: Caller = { name: "a visitor", become: becoming(roles.anonymous, "") };
const people: Record<string, Caller> = {
  nobody: visitor,
  ada: { name: "Ada", become: becoming(roles.member, "1") },
  admin: { name: "the admin", become: becoming(roles.member, "2") },
  bob: { name: "Bob", become: becoming(roles.member, "3") },
};
