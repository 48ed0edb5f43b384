import { readFileSync } from "node:fs";
import { printApi } from "@content-service/support/printApi.ts";
import { type Request, type Response, Router } from "express";
import type { GraphQLSchema } from "graphql";
import type { Settings } from "../settings.ts";
import { stillPagePolicy, vary } from "./headers.ts";

const { name, version, description } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

const style = `:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif }
body { max-width: 38rem; margin: 10vh auto; padding: 0 1.5rem }
h1 small { font-size: 1rem; font-weight: normal; opacity: 0.7 }`;
const policy = stillPagePolicy(style);

/** A first request, for a terminal. */
export const tryIt = (url: string) =>
  `curl ${url}/graphql -H 'Content-Type: application/json' -d '{"query":"{ feed(limit: 3) { title author { name } } }"}'`;

/** `/`: a page for browsers, two lines of text for curl. `/schema.graphql`: the SDL, where clients may ask for the schema. */
export function frontPage(
  served: () => GraphQLSchema,
  { graphiql, introspection, mails }: Pick<Settings, "graphiql" | "introspection"> & { mails: boolean },
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const links = [
    ...(graphiql ? [`<a href="/graphql">GraphiQL</a>: write and run operations`] : []),
    ...(introspection ? [`<a href="/schema.graphql">schema.graphql</a>: the schema, with descriptions`] : []),
    ...(mails ? [`Mails, of sign-ups and forgotten passwords: at the link that the start has printed`] : []),
    `<a href="/healthz">Alive</a> and <a href="/readyz">ready</a>: the probes`,
    "Documentation: <code>docs/</code> in the repository; <code>npm run docs</code> makes a site of it",
  ];
  const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title>
<style>${style}</style>
<h1>${name} <small>${version}</small></h1>
<p>${description}</p>
<p>The endpoint is <code>/graphql</code>.</p>
<ul>${links.map((link) => `<li>${link}</li>`).join("\n")}</ul>
</html>
`;
  router.get("/", (request, response) => {
    vary(response, "Accept, Host");
    const isPage = request.accepts("text", "html") === "html";
    if (isPage) response.setHeader("Content-Security-Policy", policy);
    response
      .type(isPage ? "html" : "text")
      .end(isPage ? page : `${name} ${version}: ${description}\n${tryIt(urlOf(request))}\n`);
  });
  if (introspection) router.get("/schema.graphql", sendSchema(served));
  return router;
}

/** The address that the client has asked. A Host header that would change the command, which people paste, is left out. */
function urlOf({ headers: { host = "", "x-forwarded-proto": protocol } }: Request): string {
  return `${protocol === "https" ? "https" : "http"}://${/^[\w.:[\]-]+$/.test(host) ? host : "localhost"}`;
}

/** Prints each schema once. */
function sendSchema(served: () => GraphQLSchema) {
  let printed: { schema: GraphQLSchema; text: string } | undefined;
  return (_request: Request, response: Response) => {
    const schema = served();
    if (printed?.schema !== schema) printed = { schema, text: printApi(schema) };
    response.type("text").end(printed.text);
  };
}
