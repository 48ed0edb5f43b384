import "../../src/environment.js";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import pg from "pg";
import { pino } from "pino";
import { startApp } from "../../src/app.ts";
import { ensureRoles } from "../../src/database/ensureRoles.ts";
import { startEmbeddedPostgres } from "../../src/embedded/embedded.ts";
import { developmentSecret } from "../../src/identity/developmentSecret.ts";
import { createTokenSigner, type SignToken } from "../../src/identity/signToken.ts";
import { readSettings, type Settings } from "../../src/settings.ts";
import { readOptions } from "../support/readOptions.ts";
import { type Ask, defaultLength, findLeaks } from "./findLeaks.ts";
import { httpAsk } from "./httpAsk.ts";
import { report } from "./report.ts";

const {
  fields,
  positionals: [endpoint],
} = readOptions({
  script: "leaks",
  purpose:
    "Searches the database of DATABASE_URL for data that a viewer may not see, through the endpoint or, by default, " +
    "through a service that it starts. It only reads. Exits with status 1 if something leaks.",
  numbers: { fields: defaultLength },
  positionals: "[endpoint]",
});
const started = new AsyncDisposableStack();

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const databaseUrl = settings.databaseUrl ?? (await embeddedUrl(settings));
  const ask = endpoint ? httpAsk(endpoint, await signer(settings)) : await serve(settings, databaseUrl);
  const database = started.adopt(new pg.Pool({ connectionString: databaseUrl, max: 1 }), (pool) => pool.end());
  const findings = await findLeaks(ask, database, fields);
  console.log(report(findings, fields));
  if (findings.leaks.length > 0) process.exitCode = 1;
}

async function embeddedUrl({ dataDir }: Settings): Promise<string> {
  const embedded = await startEmbeddedPostgres(join(dataDir, "postgres"));
  started.defer(() => embedded.stop());
  return embedded.url;
}

async function signer({ token, dataDir }: Settings): Promise<SignToken> {
  const sign = createTokenSigner(
    token.jwksUrl ? token : { ...token, secret: token.secret ?? (await developmentSecret(dataDir)) },
  );
  if (!sign) {
    throw new OperatorError(
      "Another service signs the tokens (JWT_JWKS_URL). Run without an endpoint instead: npm run leaks",
    );
  }
  return sign;
}

/** Starts a service with the settings, except for a secret that only this process knows. */
async function serve(settings: Settings, databaseUrl: string): Promise<Ask> {
  const token = { secret: randomBytes(32).toString("hex") };
  const apiDatabaseUrl = settings.apiDatabaseUrl ?? (await ensureRoles(databaseUrl));
  const unlimited = { rateLimitAddress: 0, rateLimitUser: 0, rateLimitSignIn: 0 };
  const place = { host: "127.0.0.1", port: 0, introspection: true, stopDelayMs: 0 };
  const app = await startApp({ ...settings, ...unlimited, ...place, apiDatabaseUrl, token }, pino({ level: "error" }));
  started.defer(() => app.close());
  return httpAsk(`${app.url}/graphql`, createTokenSigner(token) as SignToken);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
} finally {
  await started.disposeAsync();
}
