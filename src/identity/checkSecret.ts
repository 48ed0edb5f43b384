const fewestBytes = 32;

/**
 * A secret shorter than the HS256 hash is the weakest link of every token, and can be guessed offline from a single one.
 *
 * @returns the secret as it is
 */
export function checkSecret(secret: string): string {
  if (Buffer.byteLength(secret) < fewestBytes) {
    throw new Error(
      `The secret that signs tokens needs at least ${fewestBytes} bytes. Make one with: openssl rand -hex 32`,
    );
  }
  return secret;
}
