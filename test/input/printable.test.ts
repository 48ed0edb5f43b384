import { printable, printableJson } from "@content-service/support/printable.ts";
import { openLog } from "../../src/observe/openLog.ts";

/* Texts of others, before they are stored or printed. */
const every = Array.from({ length: 0x110000 }, (_, code) => code);
const isUnprintable = (code: number) =>
  code !== 0x200c && code !== 0x200d && /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(String.fromCodePoint(code));

test("of all characters, those that control, format or separate lines become a space", () => {
  const unprintable = every.filter(isUnprintable);
  expect(unprintable.length).toBeGreaterThan(2_000);
  for (const code of unprintable) expect(printable(`a${String.fromCodePoint(code)}b`, 10)).toBe("a b");
  for (const code of [0x202e, 0x2066, 0x2069, 0x2028, 0x2029, 0, 0x1b, 0x9b, 0xad, 0xfeff, 0xe0041, 0xd800])
    expect(unprintable).toContain(code);
});

test.each([
  ["a word, an emoji and a joiner", "می‌خ 👩‍🚀", "می‌خ 👩‍🚀"],
  ["spaces and line breaks", "  a \r\n\t b \0 \x1b[31m c ", "a b [31m c"],
  ["ten characters", "😀".repeat(10), "😀".repeat(10)],
  ["eleven characters", "😀".repeat(11), `${"😀".repeat(9)}…`],
  ["a million characters", "x".repeat(1_000_000), "xxxxxxxxx…"],
  ["a million spaces", " ".repeat(1_000_000), "…"],
  ["nothing", "", ""],
])("%s", (_what, text, line) => {
  expect(printable(text, 10)).toBe(line);
});

test("the log escapes what a path, a response or an error would tell a terminal", () => {
  const lines: string[] = [];
  openLog("info", { write: (line) => lines.push(line) }).info(
    { path: "/\x9b31m\u202e", err: new Error("\x1b]0;\u2028") },
    "\x7f",
  );
  expect(lines.join("")).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u);
  expect(JSON.parse(lines.join(""))).toMatchObject({
    path: "/\x9b31m\u202e",
    err: { message: "\x1b]0;\u2028" },
    msg: "\x7f",
  });
});

test("a line of JSON stays the same value, and has no such character", () => {
  const value = {
    text: every
      .filter((code) => code < 0x3000 || code > 0xe0000)
      .map((code) => String.fromCodePoint(code))
      .join(""),
  };
  const line = `${JSON.stringify(value)}\n`;
  expect(JSON.parse(printableJson(line))).toEqual(value);
  expect(printableJson(line)).toMatch(/^(?:\u200c|\u200d|[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}])+\n$/u);
});
