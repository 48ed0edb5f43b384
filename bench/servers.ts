import { ensureRoles } from "../src/database/ensureRoles.ts";
import { createTokenSigner, type SignToken } from "../src/identity/signToken.ts";
import { followers, plainUsers } from "./data.ts";
import { secret } from "./ownApp.ts";
import type { OwnStatements } from "./ownStatements.ts";
import { Server } from "./Server.ts";

const poolSize = "8";

/** The servers to compare, the limit first. None is started yet. */
export async function makeServers(ownerUrl: string, own: OwnStatements): Promise<Server[]> {
  const statements = { STATEMENTS: JSON.stringify(own) };
  const signedIn = await authorizations(plainUsers);
  const apiUrl = await ensureRoles(ownerUrl);
  const underPolicies = { headers: signedIn, environment: { JWT_SECRET: secret } };
  return [
    peer("limit", "limit", ownerUrl, { environment: statements }),
    peer("limit under policies", "limit", ownerUrl, { environment: { ...statements, LIMIT_ROLE: "api_anonymous" } }),
    service("service, anonymous", ownerUrl),
    service("service, signed in", ownerUrl, { headers: signedIn }),
    service("service, following", ownerUrl, { headers: await authorizations(followers) }),
    service("service, engine only", ownerUrl, { environment: { COMPILE_QUERIES: "false" } }),
    peer("Mercurius, policies, signed in", "mercurius", apiUrl, underPolicies),
    peer("PostGraphile, policies, signed in", "postgraphile", apiUrl, underPolicies),
    peer("Apollo Server, policies, signed in", "apollo", apiUrl, underPolicies),
    peer("Mercurius, unprotected", "mercurius", ownerUrl),
    peer("PostGraphile, unprotected", "postgraphile", ownerUrl),
    peer("Apollo Server, unprotected", "apollo", ownerUrl),
  ];
}

interface Options {
  /** Of the requests of each client, in turn. */
  headers?: readonly Record<string, string>[];
  environment?: Record<string, string>;
}

/** A server of bench/peers. */
export function peer(name: string, script: string, url: string, { headers, environment }: Options = {}): Server {
  const own = { DATABASE_URL: url, POOL_SIZE: poolSize, ...environment };
  return new Server(name, `peers/${script}.ts`, own, { ...(headers && { headers }) });
}

/** Visitors are told apart by their IP addresses, as a proxy tells them. */
const visitors = Array.from({ length: 64 }, (_, client) => ({ "x-forwarded-for": `10.0.0.${client + 1}` }));

/** The service with its defaults of production, but without rate limits. */
export function service(name: string, ownerUrl: string, { headers = visitors, environment }: Options = {}): Server {
  return new Server(
    name,
    "../src/start.js",
    {
      DATABASE_URL: ownerUrl,
      DATABASE_POOL_SIZE: poolSize,
      JWT_SECRET: secret,
      RATE_LIMIT_ADDRESS: "0",
      RATE_LIMIT_USER: "0",
      RATE_LIMIT_SIGN_IN: "0",
      MAINTENANCE_MINUTES: "0",
      TRUST_PROXY: "loopback",
      ...environment,
    },
    { headers, listening: /"url":"(http[^"]+)"/, path: "/graphql" },
  );
}

export function authorizations(userIds: readonly string[]): Promise<Record<string, string>[]> {
  const sign = createTokenSigner({ secret }) as SignToken;
  return Promise.all(
    userIds.map(async (userId) => ({ authorization: `Bearer ${(await sign(userId, 24 * 3_600)).token}` })),
  );
}
