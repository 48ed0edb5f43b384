import { readFileSync } from "node:fs";
import { getNamedType } from "graphql";
import { markdownTable } from "../support/markdownTable.ts";
import { type Person, people, useService } from "../support/service.ts";
import { inDatabase, resetContent, type Seen, throughApi } from "./outcome.ts";
import { permissions } from "./ways.ts";

/* Rights × acts × states of a post: "Changing a post" in migrations/permissions.md. */
const service = useService();
const { database } = service;

/** Who acts, and whose the post is, by the heading of the column. */
const columns: Record<string, [Person, owner: Exclude<Person, "nobody">]> = {
  nobody: ["nobody", "bob"],
  banned: ["mallory", "mallory"],
  contributor: ["contributor", "contributor"],
  "contributor, another’s": ["contributor", "bob"],
  writer: ["ada", "ada"],
  "writer, another’s": ["ada", "bob"],
  "copy editor": ["copyEditor", "copyEditor"],
  "copy editor, another’s": ["copyEditor", "bob"],
  editor: ["editor", "editor"],
  "editor, another’s": ["editor", "bob"],
  "admin, another’s": ["admin", "bob"],
};
const states = markdownTable(permissions, "### States of a post").map(([state = ""]) => state);
const acts = markdownTable(permissions, "### Acts on a post").map(([act = "", sql = "", query = ""]) => ({
  act,
  sql,
  query,
}));
const rows = markdownTable(permissions, "### Who may change a post").map(([acts = "", states = "", ...outcomes]) => ({
  acts: acts.split(", "),
  states: states.split(", "),
  outcomes: Object.fromEntries(Object.keys(columns).map((column, i) => [column, outcomes[i]])),
}));
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();

/** A post, one of its revisions and one of its links. */
interface Made {
  id: string;
  revision: string;
  preview: string;
}
/** Posts that no act has changed, by state and owner. */
const unchanged = new Map<string, Made>();

beforeAll(async () => {
  await database.query(`
    select app_hidden.add_value('app_public.user_role', 'CONTRIBUTOR', 'May submit posts.'),
           app_hidden.add_value('app_public.user_role', 'COPY_EDITOR', 'Edits what is not published.')`);
  await resetContent(service);
  await database.query(readFileSync(new URL("states.sql", import.meta.url), "utf8"));
  const owners = new Set(Object.values(columns).map(([, owner]) => owner));
  for (const state of states) {
    for (const owner of owners) unchanged.set(`${state} of ${owner}`, await make(state, owner));
  }
});

async function make(state: string, owner: Exclude<Person, "nobody">): Promise<Made> {
  const made = await database.query<Made>("select * from app_private.post_in($1, $2)", [people[owner], state]);
  return made[0] as Made;
}

const about = (text: string, { id, revision, preview }: Made) =>
  text
    .replaceAll(":id", id)
    .replaceAll(":revision", revision)
    .replaceAll(":preview", preview)
    .replaceAll(":tomorrow", tomorrow);

/** The outcomes by column. @param see tries the act on a post */
async function outcomes(
  state: string,
  see: (person: Person, post: (isFresh: boolean) => Promise<Made>) => Promise<Seen>,
) {
  const seen = Object.entries(columns).map(async ([column, [person, owner]]) => {
    const post = async (isFresh: boolean) =>
      isFresh ? make(state, owner) : (unchanged.get(`${state} of ${owner}`) as Made);
    return [column, await see(person, post)];
  });
  return Object.fromEntries(await Promise.all(seen));
}

const expected = (act: string, state: string) =>
  rows.filter((row) => row.acts.includes(act) && row.states.includes(state)).map((row) => row.outcomes)[0];

describe.each(acts)("$act", ({ act, sql, query }) => {
  test.each(states)("%s, in the database", async (state) => {
    const seen = await outcomes(state, async (person, post) =>
      inDatabase(service, person, about(sql, await post(false))),
    );
    expect(seen).toEqual(expected(act, state));
  });

  if (query === "") return;
  test.each(states)("%s, through the API", async (state) => {
    const wanted = expected(act, state) ?? {};
    const isDone = (person: Person) =>
      Object.entries(columns).some(([column, [other]]) => other === person && wanted[column] === "done");
    // What is refused changes nothing.
    const seen = await outcomes(state, async (person, post) =>
      throughApi(service, person, about(query, await post(isDone(person)))),
    );
    expect(seen).toEqual(wanted);
  });
});

test("each act has one outcome in each state, and what is refused has changed no post", async () => {
  const cells = rows.flatMap((row) => row.acts.flatMap((act) => row.states.map((state) => `${act} × ${state}`)));
  expect(cells.sort()).toEqual(acts.flatMap(({ act }) => states.map((state) => `${act} × ${state}`)).sort());
  const ids = [...unchanged.values()].map(({ id }) => id);
  const changed = await database.query(
    "select id, title, status, publish_at from app_public.posts where id = any ($1) and updated_at > created_at and status <> 'TRASHED'",
    [ids],
  );
  expect(changed).toEqual([]);
  expect(await database.query("select count(*)::int from app_public.posts where id = any ($1)", [ids])).toEqual([
    { count: ids.length },
  ]);
});

test("each mutation that changes a post is an act", () => {
  const fields = Object.values(service.app.schema.getMutationType()?.getFields() ?? {});
  const changing = fields
    .filter(({ name, type }) => /Post|Preview/.test(name) || /^(Post|WorkingCopy)$/.test(getNamedType(type).name))
    .map(({ name }) => name)
    // A report changes no post; a new post has no state. See "Writing".
    .filter((name) => name !== "reportPost" && name !== "createPost");
  const tried = acts.flatMap(({ query }) => /mutation \{ (\w+)/.exec(query)?.[1] ?? []);
  expect([...new Set(tried)].sort()).toEqual(changing.sort());
});
