const minBytes = 32;

/**
 * Checks the secret for HS256. A secret shorter than the hash can be guessed offline from a single token.
 *
 * @returns the secret
 */
export function checkSecret(secret: string): string {
  if (Buffer.byteLength(secret) < minBytes) {
    throw new Error(
      `The secret that signs tokens needs at least ${minBytes} bytes. Make one with: openssl rand -hex 32`,
    );
  }
  return secret;
}
