import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { RequestHandler } from "express";
import { type RuruClientConfig, ruruHTML } from "ruru/server";
import { serveStatic } from "ruru/static";
import { pagePolicy } from "./securityHeaders.ts";
import { vary } from "./vary.ts";

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

const sendMessage = `# This needs a signed-in user: see Headers below.
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

/** Sent with a tab's requests and with the connection of its subscription. The editor accepts comments. */
const defaultHeaders = `{
  // The token of the user with the id 1: npm run token -- 1
  // "Authorization": "Bearer <token>"
}
`;

/** Ruru passes properties to GraphiQL that its own type does not declare. */
const clientConfig: Partial<RuruClientConfig> & Record<string, unknown> = {
  defaultTabs: [feed, sendMessage, messageAdded].map((query) => ({ query })),
  defaultHeaders,
  defaultEditorToolsVisibility: "headers",
};

/** The path of the page's scripts. They are served from here, so the page loads nothing from another origin. */
export const staticPath = "/graphql/static/";

/** The GraphiQL page. */
export function graphiqlPage(): (response: ServerResponse) => void {
  const html = ruruHTML({
    staticPath,
    endpoint: "/graphql",
    subscriptionEndpoint: "/graphql",
    clientConfig: clientConfig as RuruClientConfig,
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

function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
