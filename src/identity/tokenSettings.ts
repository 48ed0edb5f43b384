/** How tokens are signed and checked. Which of `secret` and `jwksUrl` is set pins the algorithms; no token chooses one. */
export interface TokenSettings {
  /** HS256, by at least 32 bytes. The service signs tokens itself. */
  secret?: string;
  /** RS256 and ES256, by the keys found here: `https:`, `http:` or `file:`. Others sign, the service only checks. */
  jwksUrl?: string;
  /** What `aud` must be, or hold. */
  audience?: string;
  /** What `iss` must be. */
  issuer?: string;
}
