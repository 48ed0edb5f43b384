import { tryIt } from "./http/frontPage.ts";
import { secretFile } from "./identity/developmentSecret.ts";
import { defaultSettings, mailsPath, type Settings, showsMails } from "./settings.ts";

/** The text printed when the service is ready. The commands work as they are. */
export function welcome(url: string, settings: Settings & { mailKey: string }): string {
  const { graphiql, token, dataDir, mailKey } = settings;
  const place = dataDir === defaultSettings.dataDir ? "" : `DATA_DIR=${dataDir} `;
  const lines = [
    "",
    `  GraphQL    ${url}/graphql`,
    ...(graphiql ? [`  GraphiQL   the same, in a browser`] : []),
    `  Try it     ${tryIt(url)}`,
    ...(showsMails(settings) ? [`  Mails      ${url}${mailsPath(mailKey)}`] : []),
    ...(token.jwksUrl
      ? []
      : [
          `  Token      ${place}npm run token -- 1      for the user with the id 1; send it as Authorization: Bearer …`,
        ]),
    ...(token.jwksUrl || token.secret
      ? []
      : [`  Secret     ${secretFile(dataDir)} signs the tokens, because JWT_SECRET is unset`]),
    "",
  ];
  return lines.join("\n");
}
