import { isLoopback } from "@content-service/support/isLoopback.ts";
import { printable } from "@content-service/support/printable.ts";
import { createTransport } from "nodemailer";
import type { NodemailerError } from "nodemailer/lib/errors";
import type { Mail, MailText } from "./mailTexts.ts";

/**
 * What became of an attempt. `refused` is for good: another attempt would get the same response. Whatever fails before the server hears of
 * the recipient concerns the server, and so each mail.
 */
export type Outcome =
  | { state: "sent" }
  | { state: "refused"; reason: string }
  | { state: "failed"; reason: string; concerns: "mail" | "server" };

export interface Smtp {
  /** Never rejects. */
  send(mail: Mail, text: MailText, signal: AbortSignal): Promise<Outcome>;
  close(): void;
}

/** Of one step. A mail that takes longer in all is ended by the caller's signal. */
const stepTimeoutMs = 30_000;
/** As many as mails are under way, so that none waits for another one's. */
export const maxConnections = 20;

/** @param url `smtp://user:password@host:587` (TLS by STARTTLS) or `smtps://…:465`; further options of nodemailer as query parameters */
export function openSmtp(url: string, from: string): Smtp {
  const { hostname, protocol, searchParams } = new URL(url);
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1];
  const transport = createTransport(
    {
      url,
      pool: true,
      maxConnections,
      // The outbox keeps what was not sent. A mail that the pool sent again might arrive twice.
      maxRequeues: 0,
      connectionTimeout: stepTimeoutMs / 3,
      greetingTimeout: stepTimeoutMs / 3,
      dnsTimeout: stepTimeoutMs / 3,
      socketTimeout: stepTimeoutMs,
      // A password or a token in plain text crosses no network, unless the URL says so.
      requireTLS: protocol === "smtp:" && !isLoopback(hostname) && !searchParams.has("ignoreTLS"),
    },
    // Texts are strings only: no name of a user makes nodemailer read a file or a URL.
    { from, disableFileAccess: true, disableUrlAccess: true },
  );
  // An idle connection that breaks is opened again when it is needed.
  transport.on("error", () => {});
  return {
    async send(mail, text, signal) {
      try {
        await transport.sendMail({
          ...text,
          // As an object, which nodemailer does not split at commas.
          to: { name: "", address: mail.email },
          // The same at each attempt, so that servers and programs recognise a mail that comes twice.
          messageId: `<${mail.id}.${mail.created_at.getTime()}@${domain}>`,
          date: mail.created_at,
          headers: { "Auto-Submitted": "auto-generated" },
          signal,
        });
        return { state: "sent" };
      } catch (error) {
        return { ...failureOf(error as NodemailerError), reason: reasonOf(error as Error, mail) };
      }
    },
    close: () => transport.close(),
  };
}

/** A refusal that concerns each mail, such as that of a password, waits until the operator has mended it: it is not for good. */
function failureOf({
  code,
  command = "",
  permanent,
  name,
}: NodemailerError): { state: "refused" } | { state: "failed"; concerns: "mail" | "server" } {
  const isMails = /^(RCPT TO|DATA|BDAT|API)/.test(command);
  // API: no server can be told of such an address.
  if (isMails && (permanent || (command === "API" && code === "EENVELOPE"))) return { state: "refused" };
  // A server that does not answer may do so for one recipient.
  const concerns = isMails || code === "ETIMEDOUT" || name === "AbortError" ? "mail" : "server";
  return { state: "failed", concerns };
}

/** Servers repeat the address in their responses, and some the text. */
function reasonOf({ message }: Error, { email, token }: Mail): string {
  const secrets = [email, email.split("@")[0] ?? "", token ?? ""].filter((secret) => secret.length > 2);
  const pattern = secrets.map((secret) => secret.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return printable(message.replace(new RegExp(pattern || "$^", "gi"), "…"), 300);
}
