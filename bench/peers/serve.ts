import pg from "pg";

/** The settings of each peer: the database's URL, and the number of connections that it may open. */
export const databaseUrl = process.env["DATABASE_URL"] ?? "";
export const poolSize = Number(process.env["POOL_SIZE"] ?? 20);

/** With it, a peer is protected: requests need a token signed with it, and statements run under the policies of the token's user. */
export const secret = process.env["JWT_SECRET"];

/** A pool of raw connections, with the service's settings. bigint arrives as text, which is what GraphQL's ID needs. */
export function openPool(role?: string, more = ""): pg.Pool {
  const options = `-c jit=off -c timezone=UTC -c app.viewer_id= ${role ? `-c role=${role}` : ""} ${more}`;
  return new pg.Pool({ connectionString: databaseUrl, max: poolSize, options });
}

/** Tells the bench where this peer listens. */
export function announce(url: string): void {
  console.log(`LISTENING ${url}`);
}
