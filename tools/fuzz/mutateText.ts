import type { Random } from "@content-service/testing/Random.ts";

const pieces = [
  "{",
  "}",
  "[",
  "]",
  "(",
  ")",
  '"',
  "\\",
  ":",
  ",",
  "$",
  "!",
  "@",
  "...",
  "#",
  "\0",
  "\uFEFF",
  "é",
  "null",
  "1e999",
  "-",
  "query",
  "fragment F on Query",
  "__proto__",
  "{}",
  "[]",
];

/** Damages `text` in one to four places. */
export function mutateText(random: Random, text: string): string {
  let result = text;
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(result.length + 1);
    const length = random.below(8);
    const damage = random.below(4);
    if (damage === 0) result = result.slice(0, at) + result.slice(at + length);
    if (damage === 1) result = result.slice(0, at) + random.pick(pieces) + result.slice(at);
    if (damage === 2)
      result = result.slice(0, at) + result.slice(at, at + length).repeat(2) + result.slice(at + length);
    if (damage === 3) result = result.slice(0, at) + String.fromCharCode(random.below(0x300)) + result.slice(at + 1);
  }
  return result;
}
