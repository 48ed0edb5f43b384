import { readFileSync } from "node:fs";
import { markdownTable } from "@content-service/support/markdownTable.ts";
import { getNamedType } from "graphql";
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

const kept = (state: string, owner: Person) => unchanged.get(`${state} of ${owner}`) as Made;

/** The outcomes of some columns. */
async function outcomes(names: string[], see: (column: string) => Promise<Seen>): Promise<Record<string, Seen>> {
  return Object.fromEntries(await Promise.all(names.map(async (column) => [column, await see(column)])));
}

const expected = (act: string, state: string) =>
  rows.filter((row) => row.acts.includes(act) && row.states.includes(state)).map((row) => row.outcomes)[0] ?? {};
/** A request of nobody or a banned user is refused whatever it asks for, and an admin has the rights of an editor: tried in one state. */
const throughApiInOneState = ["nobody", "banned", "admin, another’s"];

describe.each(acts)("$act", ({ act, sql, query }) => {
  test.each(states)("%s, in the database", async (state) => {
    const seen = await outcomes(Object.keys(columns), (column) => {
      const [person, owner] = columns[column] as [Person, Person];
      return inDatabase(service, person, about(sql, kept(state, owner)));
    });
    expect(seen).toEqual(expected(act, state));
  });

  if (query === "") return;
  test.each(states)("%s, through the API", async (state) => {
    const wanted = Object.entries(expected(act, state)).filter(
      ([column]) => state === states[0] || !throughApiInOneState.includes(column),
    );
    const seen = await outcomes(
      wanted.map(([column]) => column),
      async (column) => {
        const [person, owner] = columns[column] as [Person, Exclude<Person, "nobody">];
        // What is refused changes nothing.
        const post = expected(act, state)[column] === "done" ? await make(state, owner) : kept(state, owner);
        return throughApi(service, person, about(query, post));
      },
    );
    expect(seen).toEqual(Object.fromEntries(wanted));
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

test("docs/writing.md says which acts a role without PUBLISH has", () => {
  const page = readFileSync(new URL("../../docs/writing.md", import.meta.url), "utf8");
  const named = [
    ["write", "make it a draft", "submit", "delete"],
    ["publish", "schedule"],
    ["save a working copy", "discard the working copy", "make a link"],
    ["restore", "delete for good"],
  ];
  const said = markdownTable(page, "## Review").map(([, ...answers], row) => {
    const isTrash = row === named.length - 1;
    const places = isTrash
      ? [["binned draft"], ["binned article"]]
      : [
          ["draft", "submitted"],
          ["published", "scheduled"],
        ];
    return answers.flatMap((answer, i) =>
      (named[row] ?? []).flatMap((act) =>
        (places[i] ?? []).map((state) => [act, state, answer === "yes" ? "done" : "MAY_NOT_PUBLISH"]),
      ),
    );
  });
  const cells = said.flat();
  expect(cells.length).toBe(40);
  expect(cells).toEqual(cells.map(([act = "", state = ""]) => [act, state, expected(act, state)["contributor"]]));
});
