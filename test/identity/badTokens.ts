import { people, testSecret } from "../support/service.ts";
import { encode, forge, inSeconds } from "./forge.ts";

const header = { alg: "HS256", typ: "JWT" };
const good = () => ({ sub: people.ada, exp: inSeconds(900) });

/** A token with a valid signature, other claims or another header. */
export function signed(claims: object = {}, as: object = header): string {
  return forge(as, { ...good(), ...claims }, testSecret);
}

const [first = "", second = "", third = ""] = signed().split(".");

/** Descriptions and values of invalid tokens. Each is refused with the same error, over any transport. */
export const badTokens: [what: string, token: string][] = [
  ["a string that is not a token", "x"],
  ["the algorithm none", forge({ alg: "none" }, good())],
  ["the algorithm None", forge({ alg: "None" }, good())],
  ["another algorithm", signed({}, { alg: "HS512" })],
  ["a wrong key", forge(header, good(), "another secret of thirty-two bytes or more")],
  ["an empty key", forge(header, good(), "")],
  ["a signature with a bit flipped", `${first}.${second}.${third.startsWith("A") ? "B" : "A"}${third.slice(1)}`],
  [
    "the id of another user under the old signature",
    `${first}.${encode(JSON.stringify({ ...good(), sub: people.admin }))}.${third}`,
  ],
  ["no signature", `${first}.${second}.`],
  ["two parts", `${first}.${second}`],
  ["no exp", signed({ exp: undefined })],
  ["text as exp", signed({ exp: "9999999999" })],
  ["not yet valid", signed({ nbf: inSeconds(900) })],
  ["a number as sub", signed({ sub: 1 })],
  ["SQL as sub", signed({ sub: "1; set role postgres" })],
  ["a crit header", signed({}, { ...header, crit: ["exp"] })],
  ["a key in its header", forge({ ...header, jwk: { kty: "oct", k: encode("mine") } }, good(), "mine")],
  ["a kid that is a path", forge({ ...header, kid: "../../dev/null" }, good(), "")],
  ["a jku", forge({ ...header, jku: "http://127.0.0.1:9/keys" }, good(), "mine")],
  ["an x5u", forge({ ...header, x5u: "http://127.0.0.1:9/keys" }, good(), "mine")],
  ["9 KB", signed({ jti: "x".repeat(9_000) })],
];
