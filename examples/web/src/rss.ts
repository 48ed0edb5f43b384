import { print } from "graphql";
import { parse } from "marked";
import { graphql, type ResultOf } from "./graphql.ts";

/* Runs on the web server, for readers that know nothing of GraphQL. */

const rssQuery = graphql(`
  query Rss { feed(limit: 20) { slug title excerpt publishedAt(format: DATE_TIME) author { name } tags { name } } }
`);
type Post = NonNullable<ResultOf<typeof rssQuery>["feed"]>[number];

/**
 * The newest posts as RSS 2.0.
 *
 * @param service the URL of the API, without `/graphql`
 * @param site the origin of the pages
 * @throws Error when the service does not answer
 */
export async function rssOf(service: string, site: string): Promise<string> {
  const response = await fetch(`${service}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: print(rssQuery) }),
  });
  const { data } = (await response.json()) as { data?: ResultOf<typeof rssQuery> };
  if (!data?.feed) throw new Error(`The service has no feed: ${response.status}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>Small Publication</title>
<link>${escaped(site)}/</link>
<description>The newest posts</description>
<atom:link href="${escaped(site)}/feed.xml" rel="self" type="application/rss+xml"/>
${data.feed.map((post) => itemOf(post, site)).join("\n")}
</channel>
</rss>
`;
}

function itemOf({ slug, title, excerpt, publishedAt, author, tags }: Post, site: string): string {
  const link = escaped(`${site}/posts/${encodeURIComponent(slug)}`);
  return `<item>
<title>${escaped(title)}</title>
<link>${link}</link>
<guid>${link}</guid>
<pubDate>${new Date(publishedAt ?? 0).toUTCString()}</pubDate>
<dc:creator>${escaped(author.name)}</dc:creator>
<description>${escaped(htmlText(excerpt))}</description>
${tags?.map(({ name }) => `<category>${escaped(name)}</category>`).join("")}
</item>`;
}

/** What Markdown says, without its markup, as HTML: feed readers expect that in a description. */
function htmlText(markdown: string): string {
  const html = parse(markdown, { async: false });
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("<", "&lt;")
    .trim();
}

/** XML has no control characters, not even escaped ones. */
function escaped(text: string): string {
  return text
    .replace(/(?![\t\n\r])\p{Cc}/gu, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
