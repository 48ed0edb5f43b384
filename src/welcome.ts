import type { Settings } from "./settings.ts";

/** The text printed when the service is ready. The curl command works as it is. */
export function welcome(url: string, { graphiql }: Settings): string {
  const lines = [
    "",
    `  GraphQL    ${url}/graphql`,
    ...(graphiql ? [`  GraphiQL   the same, in a browser`] : []),
    "  Try it     curl " +
      `${url}/graphql -H 'Content-Type: application/json' ` +
      `-d '{"query":"{ feed(limit: 3) { title author { name } } }"}'`,
    "  Token      npm run token -- 1      for the user with the id 1; send it as Authorization: Bearer …",
    "",
  ];
  return lines.join("\n");
}
