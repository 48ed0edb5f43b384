import { OperatorError } from "@content-service/support/OperatorError.ts";
import type { JWTVerifyGetKey } from "jose";
import type { IssuerSettings } from "../issuerSettings.ts";
import { KeysUnavailableError, openKeySet } from "./openKeySet.ts";
import { TokenError } from "./readToken.ts";
import { type GoodToken, verifyJwt } from "./verifyJwt.ts";

const timeoutMs = 5_000;
/** A provider that does not answer is not asked again within this time, else each token would cause a request. */
const cooldownMs = 10_000;
/** OpenID Connect Core, 2: `sub` has 255 characters at most. */
const maxSubjectLength = 255;

/** An identity provider, as it describes itself (OpenID Connect Discovery). */
export class IdentityProvider {
  readonly issuer: string;
  readonly #audience: string | string[];
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #failed: { cause: unknown; at: number } | undefined;

  constructor({ issuer, audience }: IssuerSettings) {
    this.issuer = issuer;
    this.#audience = audience;
  }

  /**
   * Asks the provider where its keys are, once.
   *
   * @throws KeysUnavailableError when it does not answer, or did not a moment ago; OperatorError when it describes itself otherwise
   */
  discover(): Promise<JWTVerifyGetKey> {
    if (this.#failed && Date.now() - this.#failed.at < cooldownMs) {
      return Promise.reject(new KeysUnavailableError(this.#failed.cause));
    }
    this.#keys ??= this.#ask().catch((cause) => {
      this.#keys = undefined;
      this.#failed = { cause, at: Date.now() };
      throw cause instanceof OperatorError ? cause : new KeysUnavailableError(cause);
    });
    return this.#keys;
  }

  async #ask(): Promise<JWTVerifyGetKey> {
    const url = `${this.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (response.status >= 500) throw new Error(`${url} responds with ${response.status}`);
    const described = response.ok ? await response.json().catch(() => ({})) : {};
    const { issuer, jwks_uri: keys } = described as Record<string, unknown>;
    if (issuer !== this.issuer || typeof keys !== "string") {
      const found = response.ok
        ? `the issuer ${JSON.stringify(issuer)} and jwks_uri ${JSON.stringify(keys)}`
        : response.status;
      throw new OperatorError(`JWT_ISSUERS: ${url} has ${found} in place of ${this.issuer} and its keys`);
    }
    return openKeySet(keys, `JWT_ISSUERS: jwks_uri of ${this.issuer}`);
  }

  /** @throws TokenError; KeysUnavailableError when the provider does not answer */
  async verify(token: string): Promise<GoodToken> {
    const getKey = await this.discover().catch((error) => {
      throw error instanceof OperatorError ? new KeysUnavailableError(error) : error;
    });
    const { issuer } = this;
    const good = await verifyJwt(token, getKey, { issuer, audience: this.#audience, algorithms: ["RS256", "ES256"] });
    const { sub = "" } = good.payload;
    if (sub === "" || sub.length > maxSubjectLength) throw new TokenError("TOKEN_INVALID");
    return good;
  }
}
