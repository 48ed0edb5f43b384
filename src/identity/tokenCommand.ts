import { readSettings } from "../settings.ts";
import { StartError } from "../support/StartError.ts";
import { developmentSecret } from "./developmentSecret.ts";
import { createTokenSigner } from "./signToken.ts";

/** `npm run token -- <user>`: prints an access token for that user, for operators and for development. */
async function main(): Promise<void> {
  const [userId, ...others] = process.argv.slice(2);
  if (!userId || !/^[1-9]\d*$/.test(userId) || others.length > 0) {
    throw new StartError("Whose token? npm run token -- <the user’s id>, for example: npm run token -- 1");
  }
  const { token, dataDir, isProduction } = readSettings(process.env);
  const secret = token.secret ?? (token.jwksUrl || isProduction ? undefined : await developmentSecret(dataDir));
  const sign = createTokenSigner({ ...token, ...(secret ? { secret } : null) });
  if (!sign) throw new StartError("Tokens are signed by the holder of the keys of JWT_JWKS_URL, not by this service.");
  const signed = await sign(userId);
  console.log(signed.token);
  console.error(`Good until ${signed.expiresAt.toISOString()}.`);
}

main().catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
