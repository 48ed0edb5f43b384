import { readdirSync, readFileSync } from "node:fs";
import { buildSchema, isObjectType, parse, validate } from "graphql";
import { sitePages } from "../../site/pages.ts";
import { anchorOf, pageOf, sidebars } from "../../site/sitePages.ts";

/* The pages of `npm run docs`, as VitePress reads them. Making them refuses links that lead nowhere, and operations without a subject. */
const root = new URL("../../", import.meta.url);
const { pages } = sitePages();
const listed = Object.values(sidebars).flatMap(({ groups }) => Object.values(groups).flat());
const reference = [...pages].filter(([path]) => path.startsWith("client/reference/")).map(([, text]) => text);

test("the sidebars name each page of docs/ once, and no two pages have one place", () => {
  const docs = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
  expect(listed.filter((file) => file.startsWith("docs/")).sort()).toEqual(docs.map((name) => `docs/${name}`).sort());
  expect(new Set(listed.map(pageOf)).size).toBe(listed.length);
});

test("the reference has each operation and each type once, but no types of pages", () => {
  const schema = buildSchema(readFileSync(new URL("schema.graphql", root), "utf8"));
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const operations = roots.flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((name) => `${type?.name.toLowerCase()}-${anchorOf(name)}`),
  );
  const types = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith("__") && !roots.includes(type))
    .filter(({ name }) => !/(Connection|Edge)$/.test(name))
    .map(({ name }) => `type-${anchorOf(name)}`);
  const shown = reference.flatMap((text) => [...text.matchAll(/^### .+ \{#(.+)\}$/gm)].map(([, anchor]) => anchor));
  expect(new Set(shown).size).toBe(shown.length);
  expect([...operations, ...types].filter((anchor) => !shown.includes(anchor))).toEqual([]);
  expect(shown.filter((anchor) => /(connection|edge)$/.test(anchor ?? "") && anchor?.startsWith("type-"))).toEqual([]);
});

test("links of the reference lead to an entry", () => {
  const links = reference.flatMap((text) => [...text.matchAll(/\]\(\/(client\/reference\/[\w-]+)#([\w-]+)\)/g)]);
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(([, page, anchor]) => !pages.get(`${page}.md`)?.includes(`{#${anchor}}`))).toEqual([]);
});

test("the reference says who may call an operation, and shows a tested example of each", () => {
  const operations = reference
    .join("")
    .split("\n### ")
    .filter((text) => text.includes("Who may call it"));
  expect(operations.length).toBeGreaterThan(60);
  expect(operations.filter((text) => !text.includes("Tested in")).map((text) => text.split(" ")[0])).toEqual([]);
  const entry = (name: string) => reference.join("").split(`\n### ${name} {`)[1]?.split("\n### ")[0];
  expect(entry("createPost")).toMatch(
    /call it: signed-in users\n- Errors: .*`VALIDATION_ERROR`(.|\n)*createPost\(input: \$input\)/,
  );
  expect(entry("banUser")).toMatch(/call it: admins, moderators\n/);
  expect(entry("signIn")).toMatch(/call it: everyone\n- Errors: .*`RATE_LIMITED`/);
  expect(entry("messageAdded")).toMatch(
    /call it: signed-in users\n- Errors: `NOT_FOUND`, `UNAUTHORIZED`, `VALIDATION_ERROR`\n/,
  );
  expect(entry("chatLeft")).toMatch(/call it: signed-in users\n(.|\n)*subscription/);
});

test("each example of the API has a link that opens it in GraphiQL, and other GraphQL has none", () => {
  const schema = buildSchema(readFileSync(new URL("schema.graphql", root), "utf8"));
  const linksOf = (text: string) =>
    [...text.matchAll(/\[Open in GraphiQL\]\((\S+)\)/g)].map(([, link = ""]) => new URL(link));
  for (const { searchParams } of [...pages.values()].flatMap(linksOf)) {
    expect(validate(schema, parse(searchParams.get("query") ?? ""))).toEqual([]);
    expect(() => JSON.parse(searchParams.get("variables") ?? "{}")).not.toThrow();
  }
  const examples = reference.join("").split(":::: details").slice(1);
  expect(examples.filter((text) => linksOf(text).length !== 1)).toEqual([]);
  expect(linksOf(pages.get("client/chat.md") ?? "")).toHaveLength(3);
  // Its table is not in the schema.
  expect(linksOf(pages.get("database/feature.md") ?? "")).toEqual([]);
});
