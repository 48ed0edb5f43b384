import { KeyObject } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, type JWK } from "jose";

/** A key pair of an issuer, which signs with the private key and publishes the public key. */
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
