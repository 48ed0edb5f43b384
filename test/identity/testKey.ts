import { KeyObject } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, type JWK } from "jose";

/** A key pair as a server of tokens has it: it signs with one half and publishes the other. */
export interface TestKey {
  alg: string;
  kid: string;
  privateKey: KeyObject;
  privateJwk: JWK;
  publicJwk: JWK;
  publicPem: string;
}

export async function makeKey(alg: string, kid: string): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return {
    alg,
    kid,
    privateKey: KeyObject.from(privateKey),
    privateJwk: { ...(await exportJWK(privateKey)), kid, use: "sig" },
    publicJwk: { ...(await exportJWK(publicKey)), kid, use: "sig" },
    publicPem: await exportSPKI(publicKey),
  };
}
