import { globSync, readFileSync } from "node:fs";
import { useDatabase } from "../support/database.ts";
import { names, pairs } from "./pairs.ts";

/* Whatever a person types finds what they mean: the search form, plain text, names and tags, in SQL. */
const database = useDatabase();

const all = Object.entries(pairs).flatMap(([language, rows]) =>
  rows.map(([text, typed, isFound]) => ({ language, text, typed, isFound })),
);

test("the table has 200 pairs in 15 languages", () => {
  expect(all.length).toBeGreaterThanOrEqual(200);
  expect(Object.keys(pairs).length).toBeGreaterThanOrEqual(15);
});

test.each([
  ["content", "app_hidden.words_in('', text)", ""],
  // A title has no marks.
  ["title", "app_hidden.words_in(text, '')", "and text !~ '[<*_]|\\]\\('"],
])("what is typed finds the %s that has it, and no other", async (_place, words, condition) => {
  const wrong = await database.query(
    `select language, text, typed, "isFound" from jsonb_to_recordset($1) as pair (language text, text text, typed text, "isFound" boolean)
      where (${words} @@ app_hidden.read_query(typed, true)) is distinct from "isFound" ${condition}`,
    [JSON.stringify(all)],
  );
  expect(wrong).toEqual([]);
});

test("each beginning of a name finds it, and so does the name without accents", async () => {
  const beginnings = names.flatMap((name) =>
    Array.from(name, (_, index) => ({ name, typed: [...name].slice(0, index + 1).join("") })).concat(
      { name, typed: name.normalize("NFD") },
      { name, typed: name.normalize("NFD").replaceAll(/[\u0300-\u036f]/g, "") },
      { name, typed: name.toUpperCase() },
      { name, typed: name.replaceAll("’", "'").replaceAll("-", " ") },
    ),
  );
  const query = `select name, typed from jsonb_to_recordset($1) as pair (name text, typed text)`;
  const lost = `${query} where not app_hidden.name_words(name) @@ app_hidden.name_query(typed)`;
  expect(await database.query(lost, [JSON.stringify(beginnings)])).toEqual([]);
  const others = ["neli", "muller x", "日", "smith-k"].flatMap((typed) => names.map((name) => ({ name, typed })));
  const found = `${query} where app_hidden.name_words(name) @@ app_hidden.name_query(typed)`;
  expect(await database.query(found, [JSON.stringify(others)])).toEqual([]);
});

test.each([
  ["Anne-Marie O’Neil, Tromsø", "anne marie oneil tromso"],
  ["東京都", "東京 京都 都"],
  ["  C++ ☕ & more ", "cplusplus emoji2615 more"],
  ["", ""],
  ["!?…", ""],
])("the search form of %s", async (text, form) => {
  expect(await database.query("select conventions.search_form($1) as form", [text])).toEqual([{ form }]);
});

test("the search form is its own form in every script with spaces", async () => {
  const texts = all
    .map(({ text }) => text)
    .filter((text) => !/[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uff66-\uff9f]/.test(text));
  const changed = await database.query(
    `select text from unnest($1::text[]) as text, conventions.search_form(text) as form where conventions.search_form(form) <> form`,
    [texts],
  );
  expect(changed).toEqual([]);
});

// Marks that begin and never end, marks within marks, and what looks like none.
test.each([
  "*",
  "[",
  "<!--",
  "<script>",
  "`",
  "_",
  "![](",
  "[a](",
  "<a ",
  "**a ",
  "_a ",
  "> ",
  "- ",
  "~~",
  "\\",
  "[a](<",
  "|-",
  "a\u0301",
  "東",
  "a-",
  "'a",
  "é ",
  "\ufdfa",
  "🎉",
])("100,000 characters of %j have their words soon", async (mark) => {
  await database.query("select app_hidden.words_in('', $1)", [mark.repeat(100_000 / mark.length)]);
});

test("a content of 100,000 different words of two characters has its words", async () => {
  const text = Array.from({ length: 50_000 }, (_, index) =>
    String.fromCodePoint(0x20000 + index, 0x3400 + (index % 6000)),
  ).join("");
  await database.query("select app_hidden.words_in('', $1)", [text.slice(0, 100_000)]);
});

test.each([
  ["# A title\n\nSome *words*.", "A title Some words."],
  ["**a *b* c** __d__ ~~e~~ `f`", "a b c d e f"],
  ["snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"],
  ['[text](http://x.y/(a) "t") and [ref][1]\n\n[1]: http://z', "text and ref"],
  ["[![alt](a.png)](http://b)", "alt"],
  ["> quoted\n> twice\n\n- one\n- [x] two\n1. three\n\n---\nend", "quoted twice one two three end"],
  ["```js\nlet a;\n```\nend", "let a; end"],
  ["<p>One</p><p>two <b>bo</b>ld</p><!-- no --><script>no()</script>", "One two bold"],
  ["<https://a.b/c> a < b &amp; c", "https://a.b/c a < b & c"],
  ["\\*no\\* mark", "*no* mark"],
  ["a\n\n\tb\u00a0 c", "a b c"],
  ["***", ""],
])("the plain text of %j", async (content, text) => {
  expect(await database.query("select app_hidden.plain_text($1) as text", [content])).toEqual([{ text }]);
});

test("an excerpt ends in no link, no address and no flag", async () => {
  const excerpt = async (content: string) =>
    (await database.query("select app_hidden.made_excerpt($1) as made", [content]))[0]?.["made"];
  const words = "word ".repeat(38).trim();
  expect(await excerpt(`${words} [a long link](https://example.com/${"x".repeat(90)})`)).toBe(`${words} a long…`);
  expect(await excerpt(`Read https://example.com/${"x".repeat(300)}`)).toBe("Read…");
  expect(await excerpt("***")).toBe("***");
  expect(await excerpt(`a${"🇩🇪".repeat(150)}`)).toBe(`a${"🇩🇪".repeat(99)}…`);
});

test("a search beside more similar titles than it may examine has the best of those, and says so", async () => {
  const search = async (text: string) =>
    await database.query(
      "select count(*)::int as found, bool_and(is_complete) as complete from app_hidden.find_posts($1)",
      [text],
    );
  const insert = (first: number, last: number) =>
    database.query(`
      set session_replication_role = replica;
      insert into app_public.posts (author_id, title, slug, excerpt, content, status, published_at, first_published_at)
      select 1, 'Responsibility ' || n, 'responsibility-' || n, '', 'x', 'PUBLISHED', now(), now() from generate_series(${first}, ${last}) n;
      insert into app_private.post_words (post_id, author_id, is_public, listed_at, title, title_words, words, language)
      select id, author_id, is_public, listed_at, form, app_hidden.title_words('responsibility'), '', app_hidden.word_form()
        from app_public.posts, conventions.search_form(title) as form where slug like 'responsibility-%'
          on conflict do nothing;
      set session_replication_role = origin`);
  await insert(1, 100);
  expect(await search("Responsability ".repeat(13).trim())).toEqual([{ found: 100, complete: true }]);
  await insert(101, 5001);
  expect(await search("Responsability ".repeat(13).trim())).toEqual([{ found: 200, complete: false }]);
  await database.query(`
    set session_replication_role = replica;
    delete from app_private.post_words where title like 'responsibility %';
    delete from app_public.posts where slug like 'responsibility-%';
    set session_replication_role = origin`);
});

describe("tags", () => {
  const named = async (name: string) =>
    (await database.query("select name from app_public.tags where form = app_hidden.tag_form($1)", [name]))[0]?.[
      "name"
    ];

  test("are one if people read them alike", async () => {
    const [post] = await database.query(
      "insert into app_public.posts (author_id, title, content) values (1, 'Tags', 'x') returning id",
    );
    const given = [
      "a  b",
      "A b",
      "a\u200b b",
      "Crème brûlée",
      "creme brulee",
      "c++",
      "c#",
      "c",
      "🎉",
      "🎂",
      "%",
      "!",
      "日本",
    ];
    await database.query("select app_hidden.set_post_tags($1, $2)", [post?.["id"], given]);
    const tags = await database.query(
      "select name from app_public.post_tags join app_public.tags on tags.id = tag_id where post_id = $1 order by position",
      [post?.["id"]],
    );
    expect(tags.map(({ name }) => name)).toEqual([
      "a b",
      "crème brûlée",
      "c++",
      "c#",
      "c",
      "🎉",
      "🎂",
      "%",
      "!",
      "日本",
    ]);
    expect(await Promise.all(["A   B", "CREME BRÛLÉE", "C++", "🎉", "nothing"].map(named))).toEqual([
      "a b",
      "crème brûlée",
      "c++",
      "🎉",
      undefined,
    ]);
    const begun = await database.query(
      "select array(select name from app_hidden.first_tags_named('cre', 10)) as first, array(select name from app_hidden.first_tags_named('日', 10)) as kanji",
    );
    expect(begun).toEqual([{ first: ["crème brûlée"], kanji: ["日本"] }]);
  });

  test("that exist are merged with their posts by the migration, which says how many", async () => {
    const [file = ""] = globSync("migrations/committed/*-what-people-type-finds-what-they-mean.sql");
    const merge = /do \$\$\ndeclare\n {2}v_tags int;[\s\S]*?end \$\$;/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
    await database.query(`
      alter table app_public.tags drop constraint tags_form_key;
      insert into app_public.tags (name) values ('jürgen'), ('jurgen'), ('jur' || chr(173) || 'gen'), ('alone');
      insert into app_public.posts (author_id, title, content, status) select 1, 'Merged ' || n, 'x', 'PUBLISHED' from generate_series(1, 3) n;
      insert into app_public.post_tags (post_id, tag_id, position)
      select posts.id, tags.id, row_number() over (partition by posts.id order by name)
        from app_public.posts, app_public.tags
       where title like 'Merged%' and (name = 'jürgen' or name = 'jurgen' and title <> 'Merged 2' or name like 'jur_gen' and title = 'Merged 3' or name = 'alone');
      update app_public.tags set public_post_id = post_id, public_tag_id = tag_id, is_public = true from app_public.post_tags where tag_id = tags.id and name = 'jurgen';`);
    const notices: string[] = [];
    const client = await database.owner.connect();
    client.on("notice", ({ message }) => notices.push(message ?? ""));
    await client.query(merge);
    client.release();
    expect(notices.join()).toMatch(/^2 tags are merged/);
    const tagged = await database.query(`select title, array_agg(name order by position) as names from app_public.posts
      join app_public.post_tags on post_id = posts.id join app_public.tags on tags.id = tag_id where title like 'Merged%' group by 1 order by 1`);
    expect(tagged.map(({ names: found }) => [...found].sort())).toEqual(Array(3).fill(["alone", "jürgen"]));
    await database.query("alter table app_public.tags add constraint tags_form_key unique (form)");
    expect(await database.query("select * from app_private.check_derived_data()")).toEqual([]);
  });
});
