import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import Provider from "oidc-provider";
import { freePort } from "../../tools/support/freePort.ts";
import { testSecret } from "./service.ts";

/** What the provider says of its people, by subject. */
export type People = Record<string, Record<string, unknown>>;

const key = { ...generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ format: "jwk" }), use: "sig" };
export const audience = "https://content.example";

/** A real identity provider on any free port, whose access tokens are for `audience`. */
export class OidcProvider {
  readonly people: People;
  issuer = "";
  #provider: Provider | undefined;
  #server: Server | undefined;
  #port: number | undefined;

  constructor(people: People) {
    this.people = people;
  }

  /** The settings of tokens of a service that trusts it, beside its own. */
  get trusted(): { secret: string; issuers: { issuer: string; audience: string }[] } {
    return { secret: testSecret, issuers: [{ issuer: this.issuer, audience }] };
  }

  /** @param redirectUris where a page may be sent back to. The same port is used by the next start() */
  async start(redirectUris: string[] = ["http://127.0.0.1/"]): Promise<this> {
    const server = createServer((request, response) => this.#provider?.callback()(request, response));
    this.#port ??= await freePort();
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    this.issuer = `http://127.0.0.1:${this.#port}`;
    this.#provider = quietly(() => this.#make(redirectUris));
    return this;
  }

  #make(redirectUris: string[]): Provider {
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: "web",
          token_endpoint_auth_method: "none",
          application_type: "native",
          redirect_uris: redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        },
      ],
      jwks: { keys: [key] },
      cookies: { keys: ["a key of tests"] },
      clientBasedCORS: () => true,
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: async () => ({ ...this.people[accountId], sub: accountId }),
      }),
      extraTokenClaims: (_context, token) => ("accountId" in token ? this.people[token.accountId ?? ""] : undefined),
      ttl: { AccessToken: 3_600, Grant: 3_600, IdToken: 3_600, Interaction: 3_600, Session: 3_600 },
      features: {
        devInteractions: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          useGrantedResource: () => true,
          getResourceServerInfo: () => this.#resource(audience),
        },
      },
    });
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** An access token, as a client gets it. @param expiresIn in seconds */
  async tokenOf(subject: string, { aud = audience, expiresIn = 3_600 } = {}): Promise<string> {
    const provider = this.#provider as Provider;
    const client = await provider.Client.find("web");
    if (!client) throw new Error("The provider knows no such client");
    const grant = new provider.Grant({ accountId: subject, clientId: "web" });
    const token = new provider.AccessToken({
      accountId: subject,
      client,
      grantId: await grant.save(),
      gty: "authorization_code",
      scope: "openid",
      expiresIn,
    } as ConstructorParameters<Provider["AccessToken"]>[0]);
    token.resourceServer = new provider.ResourceServer(aud, this.#resource(aud));
    return token.save();
  }

  #resource(aud: string) {
    return {
      scope: "openid email profile",
      audience: aud,
      accessTokenTTL: 3_600,
      accessTokenFormat: "jwt" as const,
      jwt: { sign: { alg: "RS256" as const } },
    };
  }
}

/** The provider warns of its storage and its pages, which are those of a test. */
function quietly<Result>(make: () => Result): Result {
  const { warn } = console;
  console.warn = () => {};
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}
