import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";

const marked = new Marked({
  // The page has its title as its only `<h1>`.
  walkTokens(token) {
    if (token.type === "heading") token.depth = Math.min(6, token.depth + 1);
  },
});
// What Markdown can say, and nothing that could act, or look as if the site said it.
const allowed = {
  ALLOWED_TAGS:
    "a blockquote br code del em h2 h3 h4 h5 h6 hr img li ol p pre strong table tbody td th thead tr ul".split(" "),
  ALLOWED_ATTR: ["alt", "href", "src", "start", "title"],
};

/** A text of a user, which may be Markdown. The service stores it as it was written, so it is made safe here. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(text, { async: false }), allowed), [text]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: DOMPurify has removed what is not in the list.
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** What such a text says, without its markup. A document of its own loads and runs nothing. */
export function plainText(markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  return new DOMParser().parseFromString(html, "text/html").body.textContent.trim();
}
