import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMailTexts } from "../../src/mail/mailTexts.ts";

/* The operator's texts of mails: MAIL_DIR. */
const mail = {
  id: "7",
  kind: "RESET_PASSWORD",
  email: "ada@example.com",
  token: "abcdef0123456789",
  created_at: new Date("2026-01-01T00:00:00Z"),
  expires_at: new Date("2026-01-01T01:00:00Z"),
  name: "Ada\r\nBcc: eve@example.com",
  language: null as string | null,
};
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "content-service-mails-"));
  cpSync(fileURLToPath(new URL("../../mails/", import.meta.url)), directory, { recursive: true });
});
afterEach(() => rmSync(directory, { recursive: true }));

function write(file: string, content: string): void {
  mkdirSync(join(directory, file, ".."), { recursive: true });
  writeFileSync(join(directory, file), content);
}
const render = (language: string | null = null) =>
  readMailTexts(directory)({ ...mail, language }, "https://example.com");

test("a subject is one line, whatever is in a name", () => {
  write("en/RESET_PASSWORD.txt", "Subject: For {{name}}\n\n{{token}} until {{expiresAt}}\n");
  rmSync(join(directory, "en/RESET_PASSWORD.html"));
  expect(render()).toEqual({
    subject: "For Ada Bcc: eve@example.com",
    text: "abcdef0123456789 until 2026-01-01 01:00 UTC\n",
    html: undefined,
  });
});

test.each([
  ["You have won: \u202eelpmaxe.live", "You have won: elpmaxe.live"],
  ["a\0b\u001b[31mc\u200bd\u2028e\ufefff", "a b [31mc d e f"],
  ["\ud800x", "x"],
  ["x".repeat(5_000), `${"x".repeat(99)}…`],
  ["José 👩‍💻", "José 👩‍💻"],
])("of the name %j, a mail has what can be read in a line", (name, shown) => {
  write("en/RESET_PASSWORD.txt", "Subject: For {{name}}\n\n{{name}}.\n");
  const { subject, text } = readMailTexts(directory)({ ...mail, name }, "https://example.com");
  expect([subject, text]).toEqual([`For ${shown}`, `${shown}.\n`]);
});

test("without a name, a mail greets nobody in particular", () => {
  const { text, html } = readMailTexts(directory)({ ...mail, name: null }, "https://example.com");
  expect(text).toMatch(/^Hello,\n/);
  expect(html).toContain("<p>Hello,</p>");
});

test.each([
  ["de", "Neues Passwort"],
  ["de-AT", "Neues Passwort"],
  ["fr", "Choose a new password"],
  ["../de", "Choose a new password"],
  [null, "Choose a new password"],
])("a user whose language is %s gets “%s”", (language, subject) => {
  write("de/RESET_PASSWORD.txt", "Subject: Neues Passwort\r\n\r\n{{appUrl}}/neu#{{token}}\r\n");
  expect(render(language).subject).toBe(subject);
});

test("a kind that a migration has added needs a text of its own", () => {
  const read = readMailTexts(directory);
  expect(() => read({ ...mail, kind: "INVITED" }, "")).toThrow("en/INVITED.txt is missing in MAIL_DIR");
  write("en/INVITED.txt", "Subject: You are invited\n\nCome in.\n");
  expect(readMailTexts(directory)({ ...mail, kind: "INVITED" }, "").subject).toBe("You are invited");
});

test.each<[string, string | undefined, string]>([
  ["en/VERIFY_EMAIL.txt", undefined, "en/VERIFY_EMAIL.txt is missing"],
  ["en/VERIFY_EMAIL.txt", "Hello\n", "en/VERIFY_EMAIL.txt begins with “Subject: …”"],
  ["en/VERIFY_EMAIL.txt", "Subject: x\n\n{{tokne}}\n", "en/VERIFY_EMAIL.txt: {{tokne}} is no value of a mail."],
  ["en/VERIFY_EMAIL.html", "<p>{{{name}}}</p>", "en/VERIFY_EMAIL.html: {{name}} is no value of a mail."],
  ["de/VERIFY_EMAIL.txt", "Subject: x\n\n{{#name}}\n", "de/VERIFY_EMAIL.txt: Unclosed section"],
])("%s with %j is refused", (file, content, problem) => {
  if (content === undefined) rmSync(join(directory, file));
  else write(file, content);
  expect(() => readMailTexts(directory)).toThrow(problem);
});

test("a folder that is not there is refused", () => {
  expect(() => readMailTexts("/nowhere")).toThrow(/^MAIL_DIR: \/nowhere cannot be read/);
});
