import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml } from "@content-service/support/escapeHtml.ts";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { printable } from "@content-service/support/printable.ts";
import mustache from "mustache";

/** A mail of the outbox. */
export interface Mail {
  id: string;
  kind: string;
  email: string;
  /** Null for a mail that only tells something. */
  token: string | null;
  created_at: Date;
  expires_at: Date;
  /** Of the user whom it concerns. */
  name: string | null;
  /** What the column `users.language` has, where there is one. */
  language: string | null;
}

export interface MailText {
  subject: string;
  text: string;
  html: string | undefined;
}

/**
 * Makes the text of a mail.
 *
 * @param appUrl where the pages are that mails link to, without a slash at its end
 * @throws Error for a kind that has none
 */
export type RenderMail = (mail: Mail, appUrl: string) => MailText;

const maxNameLength = 100;

/** The kinds that the service sends itself. Migrations can add others. */
const kinds = ["VERIFY_EMAIL", "CHANGE_EMAIL", "RESET_PASSWORD", "EMAIL_CHANGED"];
const fallback = "en";

interface Template {
  subject: string;
  text: string;
  html: string | undefined;
}

/**
 * Reads `<language>/<kind>.txt` and `.html`. The first line of a text is `Subject: …`. `{{name}}`, `{{token}}`, `{{appUrl}}`, `{{email}}` and
 * `{{expiresAt}}` are values, escaped in HTML. A name is empty unless the user has confirmed the email, and printable(). A language that lacks a kind gets it in English.
 *
 * @throws OperatorError that names the file which is missing or wrong
 */
export function readMailTexts(directory: string): RenderMail {
  const templates = new Map<string, Template>();
  for (const language of foldersOf(directory)) {
    for (const file of readdirSync(join(directory, language))) {
      const [, kind] = /^(\w+)\.txt$/.exec(file) ?? [];
      if (kind) templates.set(`${language}/${kind}`, readTemplate(directory, language, kind));
    }
  }
  for (const kind of kinds) {
    if (!templates.has(`${fallback}/${kind}`)) {
      throw new OperatorError(`MAIL_DIR: ${join(directory, fallback, `${kind}.txt`)} is missing`);
    }
  }
  return (mail, appUrl) => {
    // Of “de-AT”, the texts of “de-AT”, “de” or English, whichever is there first.
    const languages = [mail.language ?? fallback, mail.language?.split("-")[0] ?? fallback, fallback];
    const template = languages.map((language) => templates.get(`${language}/${mail.kind}`)).find(Boolean);
    if (!template) throw new Error(`${fallback}/${mail.kind}.txt is missing in MAIL_DIR`);
    const values = {
      ...mail,
      appUrl,
      name: printable(mail.name ?? "", maxNameLength),
      expiresAt: utc(mail.expires_at),
    };
    // “Hello,” in place of “Hello ,”.
    const named = (text: string) => (values.name ? text : text.replaceAll(/ *\{\{ *name *\}\}/g, ""));
    const plain = (text: string) => mustache.render(named(text), values, undefined, { escape: String });
    return {
      subject: plain(template.subject).trim(),
      text: plain(template.text),
      html:
        template.html === undefined
          ? undefined
          : mustache.render(named(template.html), values, undefined, { escape: (value) => escapeHtml(String(value)) }),
    };
  };
}

function foldersOf(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch (error) {
    throw new OperatorError(`MAIL_DIR: ${directory} cannot be read: ${(error as Error).message}`);
  }
}

function readTemplate(directory: string, language: string, kind: string): Template {
  const path = join(directory, language, kind);
  const [, subject, text] = /^Subject: *(\S.*)\n\n([\s\S]+)$/.exec(read(`${path}.txt`) ?? "") ?? [];
  if (!subject || !text) {
    throw new OperatorError(`MAIL_DIR: ${path}.txt begins with “Subject: …”, and a text follows below an empty line`);
  }
  const template = { subject, text, html: read(`${path}.html`) };
  for (const [part, source] of Object.entries(template)) {
    if (source !== undefined) check(source, `${path}.${part === "html" ? "html" : "txt"}`);
  }
  return template;
}

const known = new Set(["name", "token", "appUrl", "email", "expiresAt"]);

function check(source: string, path: string): void {
  let parsed: unknown[][];
  try {
    parsed = mustache.parse(source);
  } catch (error) {
    throw new OperatorError(`MAIL_DIR: ${path}: ${(error as Error).message}`);
  }
  for (const [type, value] of parsed) {
    if (type === "text" || type === "!" || (type === "name" && known.has(String(value)))) continue;
    throw new OperatorError(
      `MAIL_DIR: ${path}: {{${value}}} is no value of a mail. There are ${[...known].join(", ")}`,
    );
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new OperatorError(`MAIL_DIR: ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** `2026-11-26 09:30 UTC` */
function utc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
