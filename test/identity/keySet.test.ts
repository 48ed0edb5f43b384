import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { pathToFileURL } from "node:url";
import { createTokenVerifier, type VerifyToken } from "../../src/identity/verifyToken.ts";
import { forge, inSeconds } from "./forge.ts";
import { useKeyServer } from "./keyServer.ts";
import { keysUnavailable, outcome, tokenInvalid } from "./outcome.ts";
import { makeKey, type TestKey } from "./testKey.ts";

const issuer = useKeyServer();
const attacker = useKeyServer();
const good = () => ({ sub: "1", exp: inSeconds(900) });
const asAda = expect.objectContaining({ userId: "1" });
const tokenOf = ({ alg, kid, privateKey }: TestKey, header: object = {}) =>
  forge({ alg, kid, ...header }, good(), privateKey);

let rsa: TestKey;
let ec: TestKey;
let newRsa: TestKey;
/** A key with the kid of `rsa`. */
let stranger: TestKey;
let verifyToken: VerifyToken;

beforeAll(async () => {
  [rsa, ec, newRsa, stranger] = await Promise.all([
    makeKey("RS256", "rsa-1"),
    makeKey("ES256", "ec-1"),
    makeKey("RS256", "rsa-2"),
    makeKey("RS256", "rsa-1"),
  ]);
});
beforeEach(async () => {
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  issuer.keys = [rsa.publicJwk, ec.publicJwk];
  attacker.keys = [stranger.publicJwk];
  verifyToken = await createTokenVerifier({ jwksUrl: issuer.url });
});
afterEach(() => {
  mock.timers.reset();
});

describe("a good token", () => {
  test.each([
    ["RSA", () => tokenOf(rsa)],
    ["an elliptic curve", () => tokenOf(ec)],
    ["RSA and no kid, when only one key fits", () => tokenOf(rsa, { kid: undefined })],
  ])("may be signed by %s", async (_, token) => {
    expect(await verifyToken(token())).toEqual(asAda);
  });

  test("makes the service fetch the keys only once for many concurrent tokens", async () => {
    await Promise.all(Array.from({ length: 20 }, () => verifyToken(tokenOf(rsa))));
    await verifyToken(tokenOf(ec));
    expect(issuer.requests).toEqual(["/jwks.json"]);
  });

  test("may name other URLs for its key, which the service does not fetch", async () => {
    const token = tokenOf(rsa, { jku: attacker.url, x5u: attacker.url, jwk: stranger.publicJwk });
    expect(await verifyToken(token)).toEqual(asAda);
    expect(attacker.requests).toEqual([]);
  });
});

describe("refuses", () => {
  test.each([
    ["the RSA key’s PEM", () => rsa.publicPem],
    ["the RSA key’s PEM without its last line end", () => rsa.publicPem.trim()],
    ["the RSA key’s JWK", () => JSON.stringify(rsa.publicJwk)],
    ["the RSA key’s modulus", () => Buffer.from(rsa.publicJwk.n ?? "", "base64url")],
    ["an empty secret", () => ""],
  ])("HS256 by %s as the secret", async (_, key) => {
    for (const kid of ["rsa-1", "ec-1", undefined]) {
      expect(await outcome(() => verifyToken(forge({ alg: "HS256", kid }, good(), key())))).toEqual(tokenInvalid);
    }
  });

  test("HS256 by a symmetric key from the key set", async () => {
    const secret = Buffer.alloc(32, "k");
    issuer.keys = [
      { kty: "oct", k: secret.toString("base64url"), kid: "oct-1", alg: "HS256", use: "sig" },
      rsa.publicJwk,
    ];
    expect(await verifyToken(tokenOf(rsa))).toEqual(asAda);
    const token = forge({ alg: "HS256", kid: "oct-1" }, good(), secret);
    expect(await outcome(() => verifyToken(token))).toEqual(tokenInvalid);
  });

  test("RS256 when the service has a secret, even if the secret is the public key", async () => {
    const verify = await createTokenVerifier({ secret: rsa.publicPem });
    expect(await outcome(() => verify(tokenOf(rsa)))).toEqual(tokenInvalid);
  });

  test.each(["none", "None", "NONE", "nOnE", ""])("the algorithm %j", async (alg) => {
    expect(await outcome(() => verifyToken(forge({ alg, kid: "rsa-1" }, good())))).toEqual(tokenInvalid);
  });

  test.each(["RS384", "RS512", "PS256", "ES384", "ES512", "EdDSA", "Ed25519", "HS384", "HS512", "RSA-OAEP"])(
    "the algorithm %s, which is not pinned",
    async (alg) => {
      const token = forge({ alg, kid: "rsa-1" }, good(), "anything");
      expect(await outcome(() => verifyToken(token))).toEqual(tokenInvalid);
      expect(issuer.requests).toEqual([]);
    },
  );

  test("an algorithm that does not fit the key", async () => {
    expect(await outcome(() => verifyToken(tokenOf(rsa, { kid: "ec-1" })))).toEqual(tokenInvalid);
    expect(await outcome(() => verifyToken(tokenOf(ec, { kid: "rsa-1" })))).toEqual(tokenInvalid);
  });

  test("a stranger’s key under a known kid", async () => {
    expect(await outcome(() => verifyToken(tokenOf(stranger)))).toEqual(tokenInvalid);
  });

  test.each([
    ["jku", () => ({ jku: attacker.url })],
    ["jku that begins like the issuer’s URL", () => ({ jku: `${issuer.url}@${new URL(attacker.url).host}/` })],
    ["x5u", () => ({ x5u: attacker.url })],
    ["jwk", () => ({ jwk: stranger.publicJwk })],
    ["x5c", () => ({ x5c: [Buffer.from(stranger.publicPem).toString("base64")] })],
    ["all of them", () => ({ jku: attacker.url, x5u: attacker.url, jwk: stranger.publicJwk })],
    ["a URL as kid", () => ({ kid: attacker.url })],
  ])("a stranger’s key that the token offers as %s, without fetching it", async (_, header) => {
    expect(await outcome(() => verifyToken(tokenOf(stranger, header())))).toEqual(tokenInvalid);
    expect(attacker.requests).toEqual([]);
  });

  test.each([
    ["unknown", "rsa-9"],
    ["empty", ""],
    ["in other letter case", "RSA-1"],
    ["a path", "../../../../dev/null"],
    ["a file’s URL", "file:///dev/null"],
    ["SQL", "rsa-1' or '1'='1"],
    ["a shell’s command", "rsa-1; curl http://127.0.0.1/"],
    ["with NUL", "rsa-1\0"],
    ["a property of every object", "__proto__"],
    ["a number", 0],
    ["null", null],
    ["a list", ["rsa-1"]],
    ["an object", { toString: "rsa-1" }],
    ["long", "k".repeat(4_000)],
  ])("a kid that is %s", async (_, kid) => {
    expect(await outcome(() => verifyToken(tokenOf(rsa, { kid })))).toEqual(tokenInvalid);
  });

  test("a token without kid when two keys fit", async () => {
    issuer.keys = [rsa.publicJwk, newRsa.publicJwk];
    expect(await outcome(() => verifyToken(tokenOf(rsa, { kid: undefined })))).toEqual(tokenInvalid);
  });

  test.each([
    ["is for encryption", (jwk: object) => ({ ...jwk, use: "enc" })],
    ["is for another algorithm", (jwk: object) => ({ ...jwk, alg: "RS512" })],
    ["may only sign", (jwk: object) => ({ ...jwk, key_ops: ["sign"] })],
  ])("a key that %s", async (_, change) => {
    issuer.keys = [change(rsa.publicJwk)];
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(tokenInvalid);
  });

  test.each(["header", "payload", "signature"])("a change of the %s", async (part) => {
    for (const key of [rsa, ec]) {
      const parts = tokenOf(key).split(".");
      const index = ["header", "payload", "signature"].indexOf(part);
      const bytes = Buffer.from(parts[index] ?? "", "base64url");
      const found = [];
      for (const byte of bytes.keys()) {
        const changed = Buffer.from(bytes);
        changed[byte] = (changed[byte] ?? 0) ^ 1;
        found.push(await outcome(() => verifyToken(parts.with(index, changed.toString("base64url")).join("."))));
      }
      // With another kid, it may be of a key that was published since the last fetch.
      const refusals = part === "header" ? [tokenInvalid, keysUnavailable] : [tokenInvalid];
      for (const each of found) expect(refusals).toContainEqual(each);
    }
  });
});

describe("when the keys are rotated", () => {
  beforeEach(async () => {
    await verifyToken(tokenOf(rsa));
    issuer.keys = [newRsa.publicJwk];
  });

  test("the new key is found without a restart, and the old one is gone", async () => {
    mock.timers.tick(10_000);
    expect(await verifyToken(tokenOf(newRsa))).toEqual(asAda);
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(keysUnavailable);
    mock.timers.tick(10_000);
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(tokenInvalid);
  });

  test("unknown kids make the service fetch the keys at most every ten seconds", async () => {
    for (const kid of ["a", "b", "c"]) await outcome(() => verifyToken(tokenOf(rsa, { kid })));
    expect(issuer.requests).toHaveLength(1);
    expect(await outcome(() => verifyToken(tokenOf(newRsa)))).toEqual(keysUnavailable);
    mock.timers.tick(10_000);
    expect(await outcome(() => verifyToken(tokenOf(rsa, { kid: "d" })))).toEqual(tokenInvalid);
    expect(await verifyToken(tokenOf(newRsa))).toEqual(asAda);
    mock.timers.tick(10_000);
    for (const kid of ["a", "b", "c"]) await outcome(() => verifyToken(tokenOf(rsa, { kid })));
    expect(issuer.requests).toHaveLength(3);
  });

  test("a withdrawn key is accepted for ten minutes at most", async () => {
    mock.timers.tick(599_999);
    expect(await verifyToken(tokenOf(rsa))).toEqual(asAda);
    mock.timers.tick(1);
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(tokenInvalid);
  });
});

describe("SERVICE_UNAVAILABLE when the keys cannot be fetched:", () => {
  test.each([
    ["an error", { status: 500, body: "" }],
    ["a page", { status: 200, body: "<html>" }],
    ["another JSON", { status: 200, body: "[]" }],
    ["a set of something else", { status: 200, body: '{"keys":["a"]}' }],
    ["not found", { status: 404, body: '{"keys":[]}' }],
  ])("the server responds with %s", async (_, answer) => {
    issuer.answer = answer;
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(keysUnavailable);
    issuer.answer = undefined;
    expect(await verifyToken(tokenOf(rsa))).toEqual(asAda);
  });

  test("the server redirects, which is not followed", async () => {
    issuer.answer = { status: 302, body: "", location: attacker.url };
    expect(await outcome(() => verifyToken(tokenOf(stranger)))).toEqual(keysUnavailable);
    expect(attacker.requests).toEqual([]);
  });

  test("no server listens at the URL", async () => {
    const verify = await createTokenVerifier({ jwksUrl: "http://127.0.0.1:1/jwks.json" });
    expect(await outcome(() => verify(tokenOf(rsa)))).toEqual(keysUnavailable);
  });

  test("a known key is still accepted, and only tokens with an unknown one are refused", async () => {
    await verifyToken(tokenOf(rsa));
    issuer.answer = { status: 503, body: "" };
    mock.timers.tick(10_000);
    expect(await outcome(() => verifyToken(tokenOf(newRsa)))).toEqual(keysUnavailable);
    expect(await verifyToken(tokenOf(rsa))).toEqual(asAda);
  });

  test("a private key was published by mistake", async () => {
    issuer.keys = [rsa.privateJwk];
    expect(await outcome(() => verifyToken(tokenOf(rsa)))).toEqual(keysUnavailable);
  });

  test("a malformed token is refused without fetching keys", async () => {
    issuer.answer = { status: 500, body: "" };
    expect(await outcome(() => verifyToken("a.b"))).toEqual(tokenInvalid);
    expect(issuer.requests).toEqual([]);
  });
});

describe("keys in a file", () => {
  let directory: string;
  let file: string;
  const write = (...keys: TestKey[]) => writeFile(file, JSON.stringify({ keys: keys.map((key) => key.publicJwk) }));

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "content-service-keys-"));
    file = join(directory, "jwks.json");
    await write(rsa);
  });
  afterEach(() => rm(directory, { recursive: true }));

  test("are read at the start, and again when a kid is unknown", async () => {
    const verify = await createTokenVerifier({ jwksUrl: pathToFileURL(file).href });
    await write(newRsa);
    expect(await verify(tokenOf(rsa))).toEqual(asAda);
    expect(await outcome(() => verify(tokenOf(newRsa)))).toEqual(keysUnavailable);
    mock.timers.tick(10_000);
    expect(await verify(tokenOf(newRsa))).toEqual(asAda);
    mock.timers.tick(10_000);
    expect(await outcome(() => verify(tokenOf(rsa)))).toEqual(tokenInvalid);
  });

  test("that becomes invalid later makes unknown keys unavailable", async () => {
    const verify = await createTokenVerifier({ jwksUrl: pathToFileURL(file).href });
    await writeFile(file, "{");
    mock.timers.tick(10_000);
    expect(await outcome(() => verify(tokenOf(newRsa)))).toEqual(keysUnavailable);
  });

  test.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["holds no JSON", "keys"],
    ["holds no key set", '{"key":1}'],
  ])("that %s stops the start", async (_, content) => {
    await rm(file);
    if (content !== undefined) await writeFile(file, content);
    await expect(createTokenVerifier({ jwksUrl: pathToFileURL(file).href })).rejects.toThrow(
      "JWT_JWKS_URL: the file cannot be read as a JSON Web Key Set",
    );
  });
});

test.each(["jwks.json", "/etc/jwks.json", "ftp://issuer.example/jwks", 'data:,{"keys":[]}', "javascript:0", ""])(
  "does not start with keys at %j",
  async (jwksUrl) => {
    await expect(createTokenVerifier({ jwksUrl })).rejects.toThrow("JWT_JWKS_URL: is no URL of a key set");
  },
);
