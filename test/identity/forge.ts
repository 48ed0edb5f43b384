import { createHmac, type KeyObject, sign } from "node:crypto";

/**
 * A token in compact form with any header and payload, with a valid signature or not. jose refuses to create most of
 * the tokens that an attacker would send.
 *
 * @param header its `alg` says how to sign: HS256 with text or bytes, RS256 and ES256 with a private key. Other
 *   algorithms do not sign.
 * @param payload an object, or text to use unchanged
 */
export function forge(header: object, payload: object | string, key?: string | Buffer | KeyObject): string {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  const signed = `${encode(JSON.stringify(header))}.${encode(text)}`;
  return `${signed}.${encode(signatureOf((header as { alg?: unknown }).alg, signed, key))}`;
}

export function encode(data: string | Buffer): string {
  return Buffer.from(data).toString("base64url");
}

/** The time in `seconds` from now, as a claim. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1_000) + seconds;
}

function signatureOf(alg: unknown, signed: string, key?: string | Buffer | KeyObject): Buffer {
  if (key === undefined) return Buffer.alloc(0);
  if (alg === "RS256") return sign("sha256", Buffer.from(signed), key as KeyObject);
  if (alg === "ES256") return sign("sha256", Buffer.from(signed), { key: key as KeyObject, dsaEncoding: "ieee-p1363" });
  return createHmac("sha256", key).update(signed).digest();
}
