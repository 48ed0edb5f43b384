import { createHash, timingSafeEqual } from "node:crypto";
import { isLoopback } from "@content-service/support/isLoopback.ts";
import { type Request, type RequestHandler, type Response, Router } from "express";
import mustache from "mustache";
import type pg from "pg";
import { type Mail, readMailTexts } from "../mail/mailTexts.ts";
import type { Settings } from "../settings.ts";
import { stillPagePolicy } from "./headers.ts";

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
article { border-top: 1px solid; padding: 1rem 0 }
h2 { margin: 0; font-size: 1.1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }`;
const policy = stillPagePolicy(style);

const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mails</title>
<style>${style}</style>
<h1>Mails</h1>
<p>In development nobody sends them. They stay here until they expire, the newest first.</p>
{{^mails}}<p>There are none. A sign-up makes one.</p>{{/mails}}
{{#mails}}<article>
<h2>{{subject}}</h2>
<p>to {{email}}, {{sent}}</p>
<pre>{{#parts}}{{#href}}<a href="{{href}}">{{text}}</a>{{/href}}{{^href}}{{text}}{{/href}}{{/parts}}</pre>
</article>
{{/mails}}
</html>
`;

/** The mutation of a mail whose pages nobody has: GraphiQL opens with it. */
const mutations: Record<string, (token: string) => string> = {
  VERIFY_EMAIL: (token) => `mutation ConfirmEmail {\n  confirmEmail(token: "${token}") { id name }\n}\n`,
  CHANGE_EMAIL: (token) => `mutation ConfirmEmail {\n  confirmEmail(token: "${token}") { id name }\n}\n`,
  RESET_PASSWORD: (token) =>
    `mutation ResetPassword {\n  resetPassword(token: "${token}", newPassword: "a new password") { userId }\n}\n`,
};

/**
 * `/mails?key=…`, in development: the outbox, for whoever has the key that the start has printed, on this machine. A proxy beside the service
 * makes all the world look like this machine. With `?app=http://localhost:5173`, or `APP_URL`, links lead
 * to those pages; otherwise to GraphiQL.
 */
export function mailPage(pool: pg.Pool, { directory, appUrl }: Settings["mail"], key: string): RequestHandler {
  const render = readMailTexts(directory);
  const router = Router({ caseSensitive: true, strict: true });
  router.get("/mails", async (request: Request, response: Response, next) => {
    if (!isLocal(request) || !isEqual(request.query["key"], key)) return next();
    const app = appUrl ?? localOrigin(request.query["app"]);
    const { rows } = await pool.query<Mail>("select * from app_private.mails_to_show()");
    const mails = rows.map((mail) => {
      const { subject, text } = render(mail, app ?? "…");
      const mutation = mail.token === null ? undefined : mutations[mail.kind]?.(mail.token);
      const links = app || !mutation ? undefined : `/graphql#query=${encodeURIComponent(mutation)}`;
      return { subject, email: mail.email, sent: mail.created_at.toISOString(), parts: partsOf(text, links) };
    });
    response
      .type("html")
      .setHeader("Content-Security-Policy", policy)
      .setHeader("Cache-Control", "no-store")
      .end(mustache.render(page, { mails }));
  });
  return router;
}

/** A text, with its links as such. @param href where they lead instead */
function partsOf(text: string, href: string | undefined): { text: string; href?: string }[] {
  return text.split(/((?:https?:\/\/|…\/)\S+)/).map((part, index) => {
    if (index % 2 === 0) return { text: part };
    return { text: part, href: href ?? part };
  });
}

/** Takes the same time for all keys. */
function isEqual(given: unknown, key: string): boolean {
  const [one, other] = [String(given), key].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(one as Buffer, other as Buffer);
}

/** Whether a program of this machine asks, no proxy for others, and no page of a site whose name leads here. */
function isLocal({ socket, headers }: Request): boolean {
  const address = socket.remoteAddress ?? "";
  const isHere = address === "::1" || /^(::ffff:)?127\./.test(address);
  return isHere && headers["x-forwarded-for"] === undefined && localOrigin(`http://${headers.host}`) !== undefined;
}

function localOrigin(given: unknown): string | undefined {
  const url = typeof given === "string" ? URL.parse(given) : null;
  return url && /^https?:$/.test(url.protocol) && isLoopback(url.hostname) ? url.origin : undefined;
}
