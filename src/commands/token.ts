import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { OperatorError } from "@content-service/support/OperatorError.ts";
import { isRowId } from "@content-service/support/rowId.ts";
import { withClient } from "@content-service/support/withClient.ts";
import { borrowEmbeddedPostgres } from "../embedded/embedded.ts";
import { existingSecret } from "../identity/developmentSecret.ts";
import { createTokenSigner } from "../identity/signToken.ts";
import { readSettings, type Settings } from "../settings.ts";

/** `npm run token -- <user>`: prints an access token for that user, for operators and for development. */
async function main(): Promise<void> {
  const [userId, ...others] = process.argv.slice(2);
  if (!userId || !isRowId(userId) || others.length > 0) {
    throw new OperatorError("Whose token? npm run token -- <the user’s id>, for example: npm run token -- 1");
  }
  const settings = readSettings(process.env);
  const { token, dataDir, isProduction } = settings;
  const secret = token.secret ?? (token.jwksUrl || isProduction ? undefined : await existingSecret(dataDir));
  const sign = createTokenSigner({ ...token, ...(secret ? { secret } : null) });
  if (!sign)
    throw new OperatorError("Tokens are signed by the holder of the keys of JWT_JWKS_URL, not by this service.");
  const signed = await sign(userId, undefined, await issueTime(userId, settings));
  console.log(signed.token);
  console.error(`Good until ${signed.expiresAt.toISOString()}.`);
}

/**
 * The present time, by the clock that ends tokens.
 *
 * @throws OperatorError when the database has no such user, or the user is banned: the service would refuse the token
 */
async function issueTime(userId: string, { databaseUrl, apiDatabaseUrl, dataDir }: Settings): Promise<number> {
  const given = databaseUrl ?? apiDatabaseUrl;
  const place = resolve(dataDir, "postgres");
  // Opening it would make an empty one.
  if (!given && !existsSync(place)) {
    throw new OperatorError(`There is no database in ${place}. Set DATABASE_URL or DATA_DIR as the service has it.`);
  }
  const embedded = given ? undefined : await borrowEmbeddedPostgres(place);
  try {
    return await withClient(given ?? (embedded?.url as string), async (client) => {
      const sql = `with now as materialized (select clock_timestamp() as time)
        select extract(epoch from time)::float8 as seconds from now, app_hidden.identify($1, 'infinity', null)`;
      const { rows } = await client.query<{ seconds: number }>(sql, [userId]).catch((error) => {
        throw error.code === "TOKEN" ? new OperatorError(`There is no user ${userId}, or the user is banned.`) : error;
      });
      return rows[0]?.seconds as number;
    });
  } finally {
    await embedded?.giveBack();
  }
}

main().catch((error) => {
  console.error(error instanceof OperatorError ? error.message : error);
  process.exitCode = 1;
});
