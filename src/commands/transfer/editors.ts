import { escapeHtml } from "@content-service/support/escapeHtml.ts";
import { isObject } from "@content-service/support/isObject.ts";
import { parseObject } from "./rows.ts";

/* The documents of Ghost's editors as HTML, for a post of which an export has no HTML. What has no HTML here is kept as its text. */

type Json = Record<string, unknown>;

const blocks: Record<string, string> = { paragraph: "p", quote: "blockquote", aside: "blockquote", listitem: "li" };
/** Bits of a text's format in Lexical. */
const formats = [
  [1, "strong"],
  [2, "em"],
  [4, "del"],
  [16, "code"],
] as const;
const maxDepth = 100;

/** @param text a document of Lexical as JSON. Text that is no such document is kept */
export function lexicalToHtml(text: string): string {
  const document = parseObject(text);
  return document ? nodeToHtml(document["root"]) : `<pre>${escapeHtml(text)}</pre>`;
}

function nodeToHtml(node: unknown, depth = 0): string {
  if (!isObject(node) || depth > maxDepth) return "";
  const type = textOf(node["type"]).replace(/^extended-/, "");
  if (type === "text") {
    const format = Number(node["format"]) || 0;
    return formats.reduce(
      (html, [bit, tag]) => (format & bit ? `<${tag}>${html}</${tag}>` : html),
      escapeHtml(textOf(node["text"])),
    );
  }
  if (type === "linebreak") return "<br>";
  const inner = listOf(node["children"])
    .map((child) => nodeToHtml(child, depth + 1))
    .join("");
  if (type === "heading") return element(/^h[1-6]$/.exec(textOf(node["tag"]))?.[0] ?? "h2", inner);
  if (type === "list") return element(node["listType"] === "number" ? "ol" : "ul", inner);
  if (type === "link" || type === "autolink") return `<a href="${escapeHtml(textOf(node["url"]))}">${inner}</a>`;
  if (Object.hasOwn(blocks, type)) return element(blocks[type] as string, inner);
  return inner || cardToHtml(type, node);
}

const cards: Record<string, (card: Json) => string> = {
  horizontalrule: () => "<hr>",
  hr: () => "<hr>",
  html: ({ html }) => textOf(html),
  code: ({ code, language }) =>
    `<pre><code class="language-${escapeHtml(textOf(language))}">${escapeHtml(textOf(code))}</code></pre>`,
  codeblock: (card) => cards["code"]?.(card) ?? "",
};

function cardToHtml(type: string, card: Json): string {
  const known = Object.hasOwn(cards, type) ? cards[type] : undefined;
  if (known) return known(card);
  const source = textOf(card["src"]);
  const picture = source && `<p><img src="${escapeHtml(source)}" alt="${escapeHtml(textOf(card["alt"]))}"></p>`;
  const pictures = listOf(card["images"]).map((image) =>
    isObject(image) ? cardToHtml("image", { ...image, caption: undefined }) : "",
  );
  const address = textOf(card["url"]);
  const link = address && `<p><a href="${escapeHtml(address)}">${escapeHtml(address)}</a></p>`;
  // The texts of a markdown card, a callout, a toggle or a product.
  const texts = [
    "markdown",
    "heading",
    "calloutText",
    "productTitle",
    "title",
    "content",
    "productDescription",
    "html",
    "caption",
  ];
  return (
    picture +
    pictures.join("") +
    link +
    texts.map((name) => textOf(card[name]) && element("p", lines(textOf(card[name])))).join("")
  );
}

/** @param text a document of Mobiledoc as JSON. Text that is no such document is kept */
export function mobiledocToHtml(text: string): string {
  const document = parseObject(text);
  if (!document) return `<pre>${escapeHtml(text)}</pre>`;
  const markups = listOf(document["markups"]).map(listOf);
  const atoms = listOf(document["atoms"]).map(listOf);
  const documentCards = listOf(document["cards"]).map(listOf);
  const markersToHtml = (markers: unknown): string => {
    const open: string[] = [];
    const html = listOf(markers)
      .map(listOf)
      .map(([kind, opened, closed, value]) => {
        let result = "";
        for (const place of listOf(opened)) {
          const [tag, attributes] = markups[Number(place)] ?? [];
          const name = /^(?:a|b|strong|em|i|code|s|del|sub|sup|u)$/.exec(textOf(tag))?.[0] ?? "span";
          const address =
            name === "a"
              ? ` href="${escapeHtml(textOf(listOf(attributes)[listOf(attributes).indexOf("href") + 1]))}"`
              : "";
          open.push(name);
          result += `<${name}${address}>`;
        }
        const [atom, atomText] = atoms[Number(value)] ?? [];
        result +=
          kind === 1 ? (atom === "soft-return" ? "<br>" : escapeHtml(textOf(atomText))) : escapeHtml(textOf(value));
        for (let left = Math.min(Number(closed) || 0, open.length); left > 0; left--) result += `</${open.pop()}>`;
        return result;
      });
    return html.join("");
  };
  return listOf(document["sections"])
    .map(listOf)
    .map(([kind, first, second]) => {
      if (kind === 1)
        return element(/^(?:p|h[1-6]|blockquote|aside)$/.exec(textOf(first))?.[0] ?? "p", markersToHtml(second));
      if (kind === 2) return `<p><img src="${escapeHtml(textOf(first))}"></p>`;
      if (kind === 3)
        return element(
          first === "ol" ? "ol" : "ul",
          listOf(second)
            .map((item) => element("li", markersToHtml(item)))
            .join(""),
        );
      const [name, payload] = documentCards[Number(first)] ?? [];
      return isObject(payload) ? cardToHtml(textOf(name), payload) : "";
    })
    .join("\n");
}

const element = (tag: string, inner: string) => `<${tag}>${inner}</${tag}>`;
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const lines = (text: string) => text.replace(/\n/g, "<br>");
