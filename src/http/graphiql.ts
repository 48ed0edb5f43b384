import { createHash } from "node:crypto";
import type { RequestHandler } from "express";
import { type RuruClientConfig, ruruHTML } from "ruru/server";
import { serveStatic } from "ruru/static";
import { pagePolicy } from "./securityHeaders.ts";

const example = `# Ctrl-Enter runs it. To write, open Headers below and add {"Authorization": "Bearer <token>"}: npm run token -- 1
# With that header, another tab can listen: subscription { messageAdded(chatId: 1) { text sender { name } } }
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

/** Where the page's scripts are, below the endpoint, so that nothing is fetched from elsewhere. */
export const staticPath = "/graphql/static/";

/** The GraphiQL page, for browsers that open the endpoint. */
export function graphiqlPage(): RequestHandler {
  const html = ruruHTML({
    staticPath,
    endpoint: "/graphql",
    subscriptionEndpoint: "/graphql",
    clientConfig: { defaultQuery: example } as RuruClientConfig,
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
