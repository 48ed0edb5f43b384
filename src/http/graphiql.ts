import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { type RuruClientConfig, ruruHTML } from "ruru/server";
import { serveStatic } from "ruru/static";
import { pagePolicy } from "./securityHeaders.ts";

/* What the page opens with, a tab each. */
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

const sendMessage = `# You have to be somebody: see Headers below.
mutation SendMessage {
  sendMessage(chatId: 1, text: "Hello") {
    id
    text
    sender { name }
  }
}
`;

const messageAdded = `# Somebody again. It goes on until you stop it:
# run SendMessage in another window to see it here.
subscription MessageAdded {
  messageAdded(chatId: 1) {
    id
    text
    sender { name }
    createdAt(format: DATE_TIME)
  }
}
`;

/** Sent with a tab's requests, and with the connection of its subscription; comments are allowed. */
const defaultHeaders = `{
  // The token of the user with the id 1: npm run token -- 1
  // "Authorization": "Bearer <token>"
}
`;

/** Ruru hands on to GraphiQL what its own type leaves out, too. */
const clientConfig: Partial<RuruClientConfig> & Record<string, unknown> = {
  defaultTabs: [feed, sendMessage, messageAdded].map((query) => ({ query })),
  defaultHeaders,
  defaultEditorToolsVisibility: "headers",
};

/** Where the page's scripts are, below the endpoint, so that nothing is fetched from elsewhere. */
export const staticPath = "/graphql/static/";

/** The GraphiQL page, for browsers that open the endpoint. */
export function graphiqlPage(): RequestHandler {
  const html = ruruHTML({
    staticPath,
    endpoint: "/graphql",
    subscriptionEndpoint: "/graphql",
    clientConfig: clientConfig as RuruClientConfig,
  });
  const policy = pagePolicy(inlineScripts(html).map(sha256));
  return (request, response, next) =>
    policy(request, response, (error?: unknown) => {
      if (error) return next(error);
      response.vary("Accept").type("html").send(html);
    });
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
