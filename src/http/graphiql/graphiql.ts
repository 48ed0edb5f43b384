import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { type RuruClientConfig, ruruHTML } from "ruru/server";
import { serveStatic } from "ruru/static";
import { pagePolicy, vary } from "../headers.ts";

/* The tabs that the page opens with. */
const feed = `# Ctrl-Enter runs it.
query Feed {
  feed(limit: 3) {
    title
    publishedAt
    author { name }
    tags { name }
    comments(limit: 2) { text author { name } }
  }
}
`;

const sendMessage = `# This needs a signed-in user who is a member of the chat: sign in above.
mutation SendMessage {
  sendMessage(chatId: 1, text: "Hello") {
    id
    text
    sender { name }
  }
}
`;

const messageAdded = `# This needs a signed-in user, too. The subscription stays open until you stop it:
# run SendMessage in another window to see the message here.
subscription MessageAdded {
  messageAdded(chatId: 1) {
    id
    text
    sender { name }
    createdAt(format: DATE_TIME)
  }
}
`;

/** Users of the sample content, who sign in without a password. */
export interface SampleSignIns {
  emails: readonly string[];
  /** The password of all of them. */
  password: string;
}

/** The path of the page's scripts. They are served from here, so the page loads nothing from another origin. */
export const staticPath = "/graphql/static/";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** The GraphiQL page. */
export function graphiqlPage(sampleSignIns?: SampleSignIns): (response: ServerResponse) => void {
  // Ruru passes properties to GraphiQL that its own type does not declare.
  const clientConfig: Partial<RuruClientConfig> & Record<string, unknown> = {
    defaultTabs: [feed, sendMessage, messageAdded].map((query) => ({ query })),
    // The token has one place, the bar.
    isHeadersEditorEnabled: false,
    showPersistHeadersSettings: false,
    sampleSignIns,
  };
  const html = ruruHTML({
    staticPath,
    endpoint: "/graphql",
    clientConfig: clientConfig as RuruClientConfig,
    htmlParts: {
      titleTag: "<title>content-service: GraphiQL</title>",
      styleTags: (tags) => `${tags}\n<style>${read("page.css")}</style>`,
      bodyContent: (content) => `${bar(sampleSignIns)}\n${content}`,
      bodyInitScript: `<script type="module">${read("page.js")}</script>`,
    },
  });
  const policy = pagePolicy(inlineScripts(html).map(sha256));
  return (response) => {
    vary(response, "Accept");
    response.setHeaders(policy).setHeader("Content-Type", "text/html; charset=utf-8").end(html);
  };
}

export function graphiqlAssets(): RequestHandler {
  return serveStatic(staticPath) as never;
}

/** Signs in and out, for all tabs of the page. The account of a sample user needs no password. */
function bar(samples?: SampleSignIns): string {
  const options = (samples?.emails ?? []).map((email) => `<option>${email}</option>`).join("");
  return `<form id="session">
    <strong>content-service</strong>
    <output name="problem" role="alert"></output>
    <span id="signed-out">
      <span id="account">
        <input name="email" type="email" placeholder="${samples ? "Email, or a sample user" : "Email"}" aria-label="Email" autocomplete="username" list="samples">
        <datalist id="samples">${options}</datalist>
        <input name="password" type="password" placeholder="Password" aria-label="Password" autocomplete="current-password">
      </span>
      <input name="token" type="password" placeholder="Token (npm run token)" aria-label="Token" autocomplete="off" hidden>
      <button type="submit">Sign in</button>
      <button type="button" name="other">Use a token</button>
    </span>
    <span id="signed-in" hidden>
      <output name="user"></output>
      <button type="button" name="signOut">Sign out</button>
    </span>
  </form>`;
}

function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
