import { sqlStateOf } from "@content-service/errors/sqlStates.ts";
import { printable } from "@content-service/support/printable.ts";
import { decodeJwt, type JWTPayload } from "jose";
import { LRUCache } from "lru-cache";
import type pg from "pg";
import type { Logger } from "pino";
import type { IssuerSettings } from "../issuerSettings.ts";
import { IdentityProvider } from "./IdentityProvider.ts";
import { KeysUnavailableError } from "./openKeySet.ts";
import { TokenError } from "./readToken.ts";
import { type ForeignTokens, issuedAtOf, rememberedLength, type VerifiedToken } from "./verifyToken.ts";

type KnownUser = Required<Pick<VerifiedToken, "userId" | "link">>;

/** For so long a person without an account is not asked about again. */
const nobodyMs = 10_000;

/** The people of identity providers (JWT_ISSUERS), who are users here by app_private.user_of_token(). */
export class IdentityProviders implements ForeignTokens {
  readonly #pool: pg.Pool;
  readonly #byIssuer: ReadonlyMap<string, IdentityProvider>;
  /** The users of tokens; null for nobody. */
  readonly #users = new LRUCache<string, Promise<KnownUser | null>>({
    maxSize: rememberedLength,
    sizeCalculation: (_user, { length }) => length,
  });

  private constructor(pool: pg.Pool, settings: readonly IssuerSettings[]) {
    this.#pool = pool;
    this.#byIssuer = new Map(settings.map((each) => [each.issuer, new IdentityProvider(each)]));
  }

  /**
   * Asks all providers to describe themselves. One that does not answer is logged, and asked again with its next token.
   *
   * @throws OperatorError when one describes itself otherwise than the settings
   * @returns undefined without any
   */
  static async open(
    settings: readonly IssuerSettings[],
    pool: pg.Pool,
    log: Logger,
  ): Promise<IdentityProviders | undefined> {
    if (settings.length === 0) return undefined;
    const providers = new IdentityProviders(pool, settings);
    const asking = [...providers.#byIssuer.values()].map(async (provider) => {
      try {
        await provider.discover();
      } catch (error) {
        if (!(error instanceof KeysUnavailableError)) throw error;
        const words = "of JWT_ISSUERS does not answer. Until it does, its tokens are refused with SERVICE_UNAVAILABLE";
        log.error({ err: error.cause }, `${provider.issuer} ${words}`);
      }
    });
    await Promise.all(asking);
    return providers;
  }

  /**
   * @returns undefined for a token of another issuer; rejects with TokenError, with KeysUnavailableError when the provider does not answer,
   *   and with what app_private.user_of_token() raises
   */
  verify(token: string): Promise<VerifiedToken> | undefined {
    // Nothing of the token is verified yet.
    const provider = this.#byIssuer.get(issuerOf(token));
    return provider && this.#verify(token, provider);
  }

  async #verify(token: string, provider: IdentityProvider): Promise<VerifiedToken> {
    const { payload, expiresAt } = await provider.verify(token);
    let user = this.#users.get(token);
    if (!user) {
      user = this.#find(payload);
      this.#users.set(token, user);
      user.then(
        (known) => known === null && this.#users.set(token, Promise.resolve(null), { ttl: nobodyMs }),
        () => this.#users.delete(token),
      );
    }
    const known = await user;
    if (known === null) throw new TokenError("NO_ACCOUNT");
    return { ...known, expiresAt, issuedAt: issuedAtOf(payload) };
  }

  async #find(claims: JWTPayload): Promise<KnownUser | null> {
    try {
      const sql = 'select user_id::text as "userId", link::text from app_private.judge_token($1)';
      const { rows } = await this.#pool.query<KnownUser & { userId: string | null }>(sql, [
        JSON.stringify(claims, printableClaim),
      ]);
      return rows[0]?.userId ? rows[0] : null;
    } catch (error) {
      // PostgreSQL cannot hold every text that JSON can.
      if (/^22P0[25]$/.test(sqlStateOf(error))) return null;
      throw error;
    }
  }
}

/** Claims that identify somebody stay as they are, and all others are texts. */
const identifying = new Set(["iss", "sub", "email"]);
const maxClaimLength = 1_000;

function printableClaim(name: string, value: unknown): unknown {
  return typeof value === "string" && !identifying.has(name) ? printable(value, maxClaimLength) : value;
}

function issuerOf(token: string): string {
  try {
    return decodeJwt(token).iss ?? "";
  } catch {
    return "";
  }
}
