/** Control and format characters, lone surrogates, line separators. Joiners, which words and emoji need, are none. */
const unprintable = /(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * One line of a text that somebody else wrote: a response, a claim of a token, a file's name, a header. Each such text passes through
 * here before it is stored or printed. Control and format characters (NUL, escape, those that change the direction) and spaces become one
 * space.
 *
 * @param maxLength in characters; a longer text ends with `…`
 */
export function printable(text: string, maxLength: number): string {
  const part = text.slice(0, 20 * maxLength);
  const line = [...part.replace(unprintable, " ").replace(/\s+/g, " ").trim()];
  const isCut = line.length > maxLength || part.length < text.length;
  return isCut ? `${line.slice(0, maxLength - 1).join("")}…` : line.join("");
}

/** A line of JSON, with unprintable characters escaped. `JSON.stringify` leaves those beyond ASCII as they are. */
export function printableJson(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return json.replace(unprintable, (character) =>
    character === "\n" ? character : character.split("").map(escaped).join(""),
  );
}
