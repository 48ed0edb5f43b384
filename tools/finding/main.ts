import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import pg from "pg";

/*
 * Precision and recall of the search, on the texts of axe-core in its 21 languages: each rule is a post. What is relevant is computed here,
 * without PostgreSQL. All is rolled back. DATABASE_URL is the owner's, of a database without posts; of any release, to compare two.
 */

interface Post {
  id: string;
  language: string;
  title: string;
  content: string;
}

interface Query {
  text: string;
  /** What has to be found. */
  isWanted(post: Post): boolean;
  /** What may be found besides: a longer word. */
  isAllowed(post: Post): boolean;
}

const fold = (text: string) => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().normalize("NFC");
const words = new Map<string, string[]>();

function wordsOf(text: string): string[] {
  const known = words.get(text) ?? fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  words.set(text, known);
  return known;
}
const textOf = ({ title, content }: Post) => `${title} ${content}`;
const has = (word: string) => (post: Post) => wordsOf(textOf(post)).includes(word);
const hasBeginning = (word: string) => (post: Post) => wordsOf(textOf(post)).some((other) => other.startsWith(word));
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Every word of each twentieth title. */
function samples(posts: readonly Post[]): string[] {
  const titled = posts
    .filter((_, index) => index % 20 === 0)
    .flatMap(({ title }) => title.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
  return [...new Set(titled)];
}

function kindsOf(posts: readonly Post[]): Record<string, Query[]> {
  const sampled = samples(posts);
  const spaced = sampled.filter((word) => !unspaced.test(word) && word.length >= 3);
  const query = (text: string, word = fold(text)): Query => ({
    text,
    isWanted: has(word),
    isAllowed: hasBeginning(word),
  });
  const accented = spaced.filter((word) => fold(word) !== word.toLowerCase().normalize("NFC"));
  const long = spaced.filter((word) => word.length >= 7);
  const compounds = posts
    .filter((_, index) => index % 20 === 0)
    .flatMap(({ title }) => title.match(/\p{L}{2,}[-'’]\p{L}{3,}/gu) ?? []);
  return {
    "a word as it is written": spaced.map((word) => query(word)),
    "without accents": accented.map((word) => query(fold(word))),
    "in capitals": accented.map((word) => query(word.toUpperCase(), fold(word.toUpperCase()))),
    "the beginning of a word": long.map((word) => {
      const beginning = fold(word).slice(0, 5);
      return { text: word.slice(0, 5), isWanted: hasBeginning(beginning), isAllowed: hasBeginning(beginning) };
    }),
    "a letter is missing": long.map((word) => {
      const wanted = (post: Post) => wordsOf(post.title).includes(fold(word));
      return {
        text: word.slice(0, 3) + word.slice(4),
        isWanted: wanted,
        isAllowed: (post) =>
          wanted(post) || wordsOf(post.title).some((other) => other.startsWith(fold(word).slice(0, 3))),
      };
    }),
    "the second part of a compound": [...new Set(compounds)].map((word) => query(word.split(/[-'’]/)[1] ?? "")),
    "two characters of Chinese or Japanese": sampled
      .filter((word) => unspaced.test(word) && word.length >= 4)
      .map((word) => {
        const part = word.slice(1, 3);
        const contains = (post: Post) => fold(textOf(post)).includes(fold(part));
        return { text: part, isWanted: contains, isAllowed: contains };
      }),
  };
}

async function insertPosts(client: pg.Client): Promise<Post[]> {
  const given = globSync("node_modules/axe-core/locales/[a-z]*.json")
    .sort()
    .flatMap((file) => {
      const { rules } = JSON.parse(readFileSync(file, "utf8")) as {
        rules: Record<string, { description: string; help: string }>;
      };
      return Object.values(rules)
        .filter(({ help, description }) => help && description)
        .map(({ help, description }) => ({
          language: basename(file, ".json"),
          title: help.slice(0, 200),
          content: description,
        }));
    });
  await client.query("insert into app_public.users (name) values ('Ada')");
  const { rows } = await client.query<Post>(
    `with made as (
       insert into app_public.posts (author_id, title, content, status)
       select (select max(id) from app_public.users), title, content, 'PUBLISHED'
         from jsonb_to_recordset($1) as given (title text, content text) returning id, title, content)
     select * from made order by id`,
    [JSON.stringify(given)],
  );
  return rows.map((row, index) => ({ ...row, language: given[index]?.language ?? "" }));
}

async function measure(client: pg.Client, posts: readonly Post[], queries: readonly Query[]) {
  const byId = new Map(posts.map((post) => [String(post.id), post]));
  let [precision, recall, answered, count] = [0, 0, 0, 0];
  for (const { text, isWanted, isAllowed } of queries) {
    const wanted = posts.filter(isWanted);
    // Of more than 200, the search ranks 200.
    if (wanted.length === 0 || wanted.length > 200) continue;
    const { rows } = await client.query("select post_id from app_hidden.find_posts($1)", [text]);
    const found = rows.flatMap(({ post_id }) => byId.get(String(post_id)) ?? []);
    count += 1;
    recall += wanted.filter((post) => found.includes(post)).length / wanted.length;
    if (found.length === 0) continue;
    answered += 1;
    precision += found.filter((post) => isWanted(post) || isAllowed(post)).length / found.length;
  }
  const share = (sum: number, of: number) => (of === 0 ? "–" : (sum / of).toFixed(3));
  return [count, share(precision, answered), share(recall, count)];
}

const client = new pg.Client({ connectionString: process.env["DATABASE_URL"] });
await client.connect();
await client.query("begin");
const posts = await insertPosts(client);
// The index of words has what is pending in a list until then.
await client.query(
  "select gin_clean_pending_list(indexrelid) from pg_index join pg_class on pg_class.oid = indexrelid where relname like 'post\\_words\\_%' and relam = (select oid from pg_am where amname = 'gin') and relkind = 'i'",
);
await client.query("analyze app_private.post_words");
console.log(`${posts.length} posts\n\n| what is typed | queries | precision | recall |\n| --- | --- | --- | --- |`);
for (const [kind, queries] of Object.entries(kindsOf(posts))) {
  console.log(`| ${[kind, ...(await measure(client, posts, queries))].join(" | ")} |`);
}
await client.query("rollback");
await client.end();
