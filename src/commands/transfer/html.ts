// @ts-expect-error: it has no types
import { gfm } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";

/** A post has 100,000 characters at most. More HTML than this is not read. */
const maxHtml = 500_000;
/** A parser of HTML takes quadratic time and memory for elements nested deeper than anybody writes. */
const maxDepth = 200;

/** A place in the HTML that Markdown has no form for. */
export interface Loss {
  /** Line feeds before it. */
  line: number;
  words: string;
}

export interface Converted {
  markdown: string;
  losses: Loss[];
}

/** The part of a DOM element that rules read. */
interface Element {
  textContent: string | null;
  getAttribute(name: string): string | null;
  querySelector(selectors: string): Element | null;
}

const markdown = newService();
/** Clients show comments as plain text. A backslash would be seen. */
const plain = newService();
plain.escape = (text) => text;
const textOnly = new TurndownService({ rules: {} } as never);
textOnly.escape = (text) => text;

function newService(): TurndownService {
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.use(gfm);
  service.remove(["script", "style", "noscript", "template", "title", "head"] as never);
  service.addRule("pre", { filter: "pre", replacement: (_, node) => toFence(node as never) });
  service.addRule("link", { filter: "a", replacement: (content, node) => toLink(content, node as never) });
  service.addRule("picture", { filter: "img", replacement: (_, node) => toPicture(node as never) });
  service.addRule("embedded", {
    filter: ["iframe", "video", "audio", "embed", "object"] as never,
    replacement: (content, node) => {
      const element: Element = node as never;
      const source =
        element.getAttribute("src") ??
        element.getAttribute("data") ??
        element.querySelector("source")?.getAttribute("src");
      const address = addressOf(source ?? "");
      return address ? `\n\n<${address}>\n\n` : content;
    },
  });
  const escapeMarkdown = service.escape.bind(service);
  // Text that looks like HTML stays text.
  service.escape = (text) => escapeMarkdown(text).replace(/<|&(?=#?\w+;)/g, "\\$&");
  return service;
}

function toFence(pre: Element): string {
  const text = (pre.textContent ?? "").replace(/^\n|\s+$/g, "");
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `\n\n${fence}${pre.getAttribute("data-language") ?? ""}\n${text}\n${fence}\n\n`;
}

/** An address that a link can have in Markdown; empty for `javascript:` and the like. */
function addressOf(given: string): string {
  const address = given.replace(/[\s\p{Cc}]+/gu, (white, place: number) => (place === 0 ? "" : encodeURI(white)));
  if (/^[a-z][a-z\d+.-]*:/i.test(address) && !/^(https?|mailto|tel):/i.test(address)) return "";
  return address.replace(/[<>()"]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function toLink(content: string, link: Element): string {
  const address = addressOf(link.getAttribute("href") ?? "");
  const words = content
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
  return address && words ? `[${words}](${address})` : content;
}

function toPicture(picture: Element): string {
  const words = (picture.getAttribute("alt") ?? "").replace(/\s+/g, " ").replace(/[[\]\\]/g, "\\$&");
  const address = addressOf(picture.getAttribute("src") ?? "");
  return address ? `![${words}](${address})` : words;
}

/**
 * HTML as Markdown: of WordPress' editors, of Ghost, or of a comment. Markup that Markdown lacks is kept as its text, or as an address, and named.
 *
 * @param form `lines` for HTML in which an empty line ends a paragraph, as WordPress' classic editor stores it
 */
export function toMarkdown(
  given: string,
  { form = "html", isPlain = false }: { form?: "html" | "lines"; isPlain?: boolean } = {},
): Converted {
  const html = withoutControls(given);
  const losses = lossesOf(html);
  const tooMuch =
    html.length > maxHtml
      ? `The HTML has more than ${maxHtml} characters`
      : isDeep(html)
        ? "The HTML is nested too deeply"
        : undefined;
  if (tooMuch)
    return { markdown: withoutTags(html), losses: [{ line: 0, words: `${tooMuch}: only its text is kept.` }] };
  const simple = simplify(html.replace(/\[\/?(?:caption|wp_caption)\b[^[\]]*\]/g, ""));
  const text = (isPlain ? plain : markdown).turndown(form === "lines" ? withParagraphs(simple) : simple);
  return { markdown: text.trim(), losses };
}

/** The text of a title or a name, in which WordPress writes `&amp;` and tags. */
export function toText(given: string): string {
  const html = withoutControls(given);
  if (!/[<&]/.test(html)) return html.trim();
  if (html.length > 10_000 || isDeep(html)) return withoutTags(html);
  return textOnly.turndown(simplify(html)).trim();
}

function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "");
}

function withoutTags(html: string): string {
  const lines = html.replace(/<[^<>]*>/g, "\n").split("\n");
  return lines
    .map((line) => line.trim())
    .filter(Boolean)
    .join("\n");
}

/** Blank lines become paragraphs and others breaks, except beside blocks and in code. */
function withParagraphs(html: string): string {
  const blockEnd =
    /<\/?(?:p|div|h\d|ul|ol|li|blockquote|pre|table|thead|tbody|tfoot|tr|td|th|hr|br|figure|figcaption|form|section|article|dl|dt|dd|iframe)\b[^<>]*>\s*$/i;
  const blockStart =
    /^\s*<\/?(?:p|div|h\d|ul|ol|li|blockquote|pre|table|thead|tbody|tfoot|tr|td|th|hr|figure|figcaption|form|section|article|dl|dt|dd|iframe)\b/i;
  let isVerbatim = false;
  let result = "";
  const lines = html.split(/\r?\n/);
  lines.forEach((line, place) => {
    for (const [, slash] of line.matchAll(/<(\/?)(?:pre|script|style|textarea)\b/gi)) isVerbatim = slash === "";
    const next = lines[place + 1] ?? "";
    if (isVerbatim) result += `${line}\n`;
    else if (line.trim() === "") result += result.endsWith("<p>") ? "" : "<p>";
    else
      result +=
        next.trim() === "" || blockEnd.test(line.slice(-200)) || blockStart.test(next) ? `${line}\n` : `${line}<br>`;
  });
  return result;
}

/**
 * Removes attributes and elements without meaning in Markdown. Those that a parser must open again in each paragraph are few kinds then: it
 * repeats three alike at most.
 */
function simplify(html: string): string {
  return html
    .replace(/<\/?(?:font|big|small|nobr|u|tt)\b[^<>]*>/gi, "")
    .replace(
      /(<pre\b[^<>]*>\s*)?<(b|code|em|i|s|strike|strong)\s[^<>]*>/gi,
      (tag, pre: string | undefined, name: string) => {
        if (!pre) return `<${name}>`;
        const language = /\b(?:language|lang)-([\w+#-]+)/.exec(tag)?.[1] ?? "";
        return `<pre data-language="${language}"><${name}>`;
      },
    );
}

/** Elements that have no end tag, or whose end tag people leave out. */
const endless =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|thead|tbody|tfoot|colgroup|dd|dt|option)$/i;

function isDeep(html: string): boolean {
  let depth = 0;
  for (const [tag, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z\d:-]*)[^<>]*>?/gi)) {
    if (endless.test(name) || tag.endsWith("/>")) continue;
    depth = Math.max(0, depth + (slash ? -1 : 1));
    if (depth > maxDepth) return true;
  }
  return false;
}

const lost: [RegExp, (match: RegExpMatchArray) => string][] = [
  [/<(iframe|video|audio|embed|object)\b/gi, ([, name]) => `<${name}> is kept as its address.`],
  [/<(script|style|noscript|template)\b/gi, ([, name]) => `<${name}> is left out.`],
  [/<(form|input|select|textarea|button|svg|math|canvas)\b/gi, ([, name]) => `<${name}> is kept as its text.`],
  [/<!--\s*wp:([\w/-]+)[^<>]*\/-->/g, ([, name]) => `The block ${name} has no text, and is left out.`],
  [
    /<img\b[^<>]*\bsrc\s*=\s*["']?data:/gi,
    () => "A picture inside the text is left out. Pictures are kept as addresses.",
  ],
  [
    /(?<!\[)\[(?!\/?(?:wp_)?caption\b)(gallery|audio|video|playlist|embed|contact-form[\w-]*|[a-z]\w*(?=\s+\w+=))[^[\]]*\]/g,
    ([, name]) => `The shortcode [${name}] is kept as text.`,
  ],
];

function lossesOf(html: string): Loss[] {
  return lost
    .flatMap(([form, words]) => [...html.matchAll(form)].map((match) => ({ place: match.index, words: words(match) })))
    .sort((one, other) => one.place - other.place)
    .slice(0, 100)
    .map(({ place, words }) => ({ line: html.slice(0, place).split("\n").length - 1, words }));
}
