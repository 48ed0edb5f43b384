import { readFileSync } from "node:fs";
import { isLoopback } from "@content-service/support/isLoopback.ts";

/** An identity provider whose tokens are accepted. */
export interface IssuerSettings {
  /** The claim `iss` of its tokens, and where its description is found: `<issuer>/.well-known/openid-configuration`. */
  issuer: string;
  /** The claim `aud` that its tokens must have one of: tokens for other programs sign nobody in here. */
  audience: string | string[];
}

const example = '[{"issuer": "https://id.example.com", "audience": "content-service"}]';

/**
 * Reads JWT_ISSUERS.
 *
 * @param given JSON, or the path of a file of it
 * @throws Error that says what is wrong
 */
export function readIssuers(given: string): IssuerSettings[] {
  const parsed = parse(/^\s*\[/.test(given) ? given : readFile(given));
  if (!Array.isArray(parsed)) throw new Error(`is a list, or the path of a file with one: ${example}`);
  for (const entry of parsed) check(entry);
  const names = parsed.map(({ issuer }: IssuerSettings) => issuer);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice) throw new Error(`has ${twice} twice`);
  return parsed;
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`is a list, or the path of a file with one: ${example} (${(error as Error).message})`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is no JSON: ${(error as Error).message}`);
  }
}

function check(entry: unknown): void {
  const { issuer, audience, ...others } = (entry ?? {}) as Record<string, unknown>;
  const url = typeof issuer === "string" ? URL.parse(issuer) : null;
  const isLocal = url !== null && isLoopback(url.hostname);
  if (!url || url.search || url.hash || !(url.protocol === "https:" || (url.protocol === "http:" && isLocal))) {
    throw new Error(`has the issuer ${JSON.stringify(issuer)}, which is no URL that begins with https://`);
  }
  const audiences = Array.isArray(audience) ? audience : [audience];
  if (audiences.length === 0 || audiences.some((each) => typeof each !== "string" || each === "")) {
    throw new Error(
      `has ${issuer} without an audience: the text or texts in aud of the tokens that are for this service`,
    );
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`has ${issuer} with ${unknown}; it knows issuer and audience`);
}
