import { mock } from "node:test";
import { CompactEncrypt, FlattenedSign } from "jose";
import { createTokenVerifier, type VerifyToken } from "../../src/identity/verifyToken.ts";
import { encode, forge, inSeconds } from "./forge.ts";
import { outcome, tokenExpired, tokenInvalid } from "./outcome.ts";

const secret = "a secret of thirty-two bytes or more, for tests";
const otherSecret = "another secret of thirty-two bytes or more";
const audience = "content-service";
const issuer = "https://issuer.example";
const header = { alg: "HS256", typ: "JWT" };
const good = () => ({ sub: "1", exp: inSeconds(900), aud: audience, iss: issuer });
const signed = (claims: object, as: object = header) => forge(as, { ...good(), ...claims }, secret);

let verifyToken: VerifyToken;
beforeAll(async () => {
  verifyToken = await createTokenVerifier({ secret, audience, issuer });
});

describe("a good token", () => {
  test("gives the id of its user and its expiry, and nothing else", async () => {
    const exp = inSeconds(900);
    expect(await verifyToken(signed({ exp }))).toEqual({ userId: "1", expiresAt: new Date(exp * 1_000) });
  });

  test.each([
    ["the audience among others", { aud: ["elsewhere", audience] }],
    ["an nbf in the past", { nbf: inSeconds(-1) }],
    ["an expiry with a fraction, as RFC 7519 allows", { exp: inSeconds(900) + 0.5 }],
    [
      "claims that are settings elsewhere",
      { role: "admin", search_path: "evil", "app.viewer_id": "3", statement_timeout: 0 },
    ],
    ["another user’s id under other names", { user_id: "3", userId: "3", id: "3", viewer_id: "3" }],
    ["its own prototype", JSON.parse('{"__proto__": {"sub": "3", "role": "admin"}}')],
  ])("may have %s", async (_, claims) => {
    const verified = await verifyToken(signed(claims));
    expect(verified.userId).toBe("1");
    expect(Object.keys(verified)).toEqual(["userId", "expiresAt", "issuedAt"]);
  });

  test("may have any length up to 8 KB", async () => {
    const room = 8_192 - signed({ jti: "" }).length;
    const token = signed({ jti: "x".repeat(Math.floor((room * 3) / 4)) });
    expect(token.length).toBeGreaterThan(8_188);
    expect(await verifyToken(token)).toMatchObject({ userId: "1" });
  });

  test("may have the largest possible id", async () => {
    expect(await verifyToken(signed({ sub: "9223372036854775807" }))).toMatchObject({ userId: "9223372036854775807" });
  });

  test("needs neither audience nor issuer when none is set", async () => {
    const verify = await createTokenVerifier({ secret });
    expect(await verify(forge(header, { sub: "1", exp: inSeconds(9) }, secret))).toMatchObject({ userId: "1" });
  });
});

describe("the clock", () => {
  const now = Date.UTC(2030, 0, 1);
  const at = (seconds: number) => now / 1_000 + seconds;

  test.each([
    ["expired 29 seconds ago", { exp: at(-29) }, "good"],
    ["expired 30 seconds ago", { exp: at(-30) }, "expired"],
    ["expired an hour ago", { exp: at(-3_600) }, "expired"],
    ["expired before 1970", { exp: -1 }, "expired"],
    ["expired at 0", { exp: 0 }, "expired"],
    ["begins in 30 seconds", { nbf: at(30), exp: at(900) }, "good"],
    ["begins in 31 seconds", { nbf: at(31), exp: at(900) }, "invalid"],
    ["begins in a year", { nbf: at(31_536_000), exp: at(99_999_999) }, "invalid"],
    ["expired, of another issuer", { exp: at(-3_600), iss: "https://elsewhere.example" }, "invalid"],
  ])("%s: it is %j and %s", async (_, claims, expected) => {
    mock.timers.enable({ apis: ["Date"], now });
    try {
      const found = await outcome(() => verifyToken(signed(claims)));
      const good = { userId: "1", expiresAt: new Date(((claims as { exp: number }).exp ?? 0) * 1_000) };
      expect(found).toEqual({ good, expired: tokenExpired, invalid: tokenInvalid }[expected]);
    } finally {
      mock.timers.reset();
    }
  });

  test("a token that was good expires as any other", async () => {
    mock.timers.enable({ apis: ["Date"], now });
    try {
      const token = signed({ exp: at(10) });
      const found = () => outcome(() => verifyToken(token));
      for (const seconds of [0, 9, 10, 39]) {
        mock.timers.setTime(now + seconds * 1_000);
        expect(await found()).toMatchObject({ userId: "1" });
      }
      mock.timers.setTime(now + 40_000);
      expect(await found()).toEqual(tokenExpired);
      const forged = forge(header, { ...good(), exp: at(10) }, otherSecret).split(".")[2];
      expect(await outcome(() => verifyToken(`${token.slice(0, token.lastIndexOf("."))}.${forged}`))).toEqual(
        tokenInvalid,
      );
    } finally {
      mock.timers.reset();
    }
  });

  test("an expired token with a wrong signature is invalid, not expired", async () => {
    expect(await outcome(() => verifyToken(forge(header, { ...good(), exp: 1 }, otherSecret)))).toEqual(tokenInvalid);
  });
});

describe("refuses with the same error", () => {
  test.each(["none", "None", "NONE", "nOnE", "noNe", "nonE", " none", "none\0", ""])(
    "the algorithm %j",
    async (alg) => {
      expect(await outcome(() => verifyToken(forge({ alg }, good())))).toEqual(tokenInvalid);
      expect(await outcome(() => verifyToken(forge({ alg }, good(), secret)))).toEqual(tokenInvalid);
    },
  );

  test.each([
    ["HS384", "HS384"],
    ["HS512", "HS512"],
    ["hs256", "hs256"],
    ["a number", 256],
    ["a list", ["HS256"]],
    ["null", null],
    ["missing", undefined],
    ["a property of every object", "constructor"],
  ])("an algorithm that is %s", async (_, alg) => {
    expect(await outcome(() => verifyToken(forge({ alg }, good(), secret)))).toEqual(tokenInvalid);
  });

  test.each([
    ["no exp", { exp: undefined }],
    ["null as exp", { exp: null }],
    ["text as exp", { exp: String(inSeconds(900)) }],
    ["a list as exp", { exp: [inSeconds(900)] }],
    ["true as exp", { exp: true }],
    ["an exp beyond all dates", { exp: 1e300 }],
    ["text as nbf", { nbf: "0" }],
    ["null as nbf", { nbf: null }],
    ["text as iat", { iat: "yesterday" }],
    ["no aud", { aud: undefined }],
    ["another aud", { aud: "elsewhere" }],
    ["the aud in capitals", { aud: audience.toUpperCase() }],
    ["an aud that holds the right one", { aud: `${audience} elsewhere` }],
    ["no aud in the list", { aud: [] }],
    ["the aud two lists deep", { aud: [[audience]] }],
    ["an object as aud", { aud: { 0: audience, length: 1 } }],
    ["no iss", { iss: undefined }],
    ["another iss", { iss: "https://elsewhere.example" }],
    ["the iss with a slash", { iss: `${issuer}/` }],
    ["a list as iss", { iss: [issuer] }],
    ["no sub", { sub: undefined }],
    ["a number as sub", { sub: 1 }],
    ["null as sub", { sub: null }],
    ["a list as sub", { sub: ["1"] }],
    ["an object as sub", { sub: { toString: "1" } }],
    ["true as sub", { sub: true }],
    ["an empty sub", { sub: "" }],
    ["0 as sub", { sub: "0" }],
    ["a negative sub", { sub: "-1" }],
    ["a sub with a zero in front", { sub: "01" }],
    ["a sub with a plus", { sub: "+1" }],
    ["a sub with a space", { sub: " 1" }],
    ["a sub with a line end", { sub: "1\n" }],
    ["a sub with NUL", { sub: "1\0" }],
    ["a sub with a fraction", { sub: "1.0" }],
    ["a sub with an exponent", { sub: "1e3" }],
    ["a hexadecimal sub", { sub: "0x1" }],
    ["a sub in other digits", { sub: "١" }],
    ["a sub that is too large", { sub: "9223372036854775808" }],
    ["a sub of twenty digits", { sub: "10000000000000000000" }],
    ["SQL as sub", { sub: "1; drop table users" }],
    ["a name as sub", { sub: "ada" }],
  ])("%s", async (_, claims) => {
    expect(await outcome(() => verifyToken(signed(claims)))).toEqual(tokenInvalid);
  });

  test.each([
    ["a list", "[]"],
    ["text", '"1"'],
    ["null", "null"],
    ["a number", "1"],
    ["nothing", ""],
    ["no JSON", "{sub: 1}"],
    ["cut short", '{"sub":"1","exp":99999999999'],
    ["with an endless exp", `{"sub":"1","exp":1e400,"aud":"${audience}","iss":"${issuer}"}`],
    [
      "with a second sub that is not one",
      `{"sub":"1","exp":99999999999,"aud":"${audience}","iss":"${issuer}","sub":"x"}`,
    ],
  ])("a payload that is %s", async (_, payload) => {
    expect(await outcome(() => verifyToken(forge(header, payload, secret)))).toEqual(tokenInvalid);
  });

  test.each([
    ["an unknown critical extension", { crit: ["exp"] }],
    ["a critical extension that its header has", { crit: ["https://x.example"], "https://x.example": true }],
    ["an empty list of critical extensions", { crit: [] }],
    ["text as critical extensions", { crit: "b64" }],
    ["b64: false as a critical extension", { crit: ["b64"], b64: false }],
    ["b64: true as a critical extension", { crit: ["b64"], b64: true }],
    ["b64: false only", { b64: false }],
  ])("a header with %s", async (_, extra) => {
    expect(await outcome(() => verifyToken(signed({}, { ...header, ...extra })))).toEqual(tokenInvalid);
  });

  test("a token with an unencoded payload", async () => {
    const bytes = Buffer.from(JSON.stringify({ sub: "1", exp: inSeconds(900) }));
    const jws = await new FlattenedSign(bytes)
      .setProtectedHeader({ alg: "HS256", b64: false, crit: ["b64"] })
      .sign(new TextEncoder().encode(secret));
    const verify = await createTokenVerifier({ secret });
    expect(await outcome(() => verify(`${jws.protected}.${bytes}.${jws.signature}`))).toEqual(tokenInvalid);
  });

  test.each([
    ["another secret", otherSecret],
    ["an empty secret", ""],
    ["the secret with a space", `${secret} `],
    ["no signature", undefined],
  ])("a token signed with %s", async (_, key) => {
    expect(await outcome(() => verifyToken(forge(header, good(), key)))).toEqual(tokenInvalid);
  });

  test.each(["header", "payload", "signature"])("a flip of any one bit in the %s", async (part) => {
    const parts = signed({}).split(".");
    const index = ["header", "payload", "signature"].indexOf(part);
    const bytes = Buffer.from(parts[index] ?? "", "base64url");
    const found: unknown[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const token = parts.with(index, encode(flipped)).join(".");
      found.push(await outcome(() => verifyToken(token)));
    }
    expect(found).toEqual(Array(bytes.length * 8).fill(tokenInvalid));
  });

  test("any other spelling of the signature’s last character", async () => {
    const token = signed({});
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const last of alphabet.replace(token.slice(-1), "")) {
      expect(await outcome(() => verifyToken(token.slice(0, -1) + last))).toEqual(tokenInvalid);
    }
  });

  test.each([
    ["nothing", () => ""],
    ["a dot", () => "."],
    ["two dots", () => ".."],
    ["a thousand dots", () => ".".repeat(1_000)],
    ["a word", () => "token"],
    ["no signature, the dot missing", () => signed({}).split(".").slice(0, 2).join(".")],
    ["no signature, the dot there", () => `${signed({}).split(".").slice(0, 2).join(".")}.`],
    ["no header", () => `.${signed({}).split(".").slice(1).join(".")}`],
    ["no payload", () => `${signed({}).split(".")[0]}..${signed({}).split(".")[2]}`],
    ["a fourth part", () => `${signed({})}.x`],
    ["a dot at the end", () => `${signed({})}.`],
    ["padding", () => `${signed({})}=`],
    ["padding in each part", () => signed({}).replaceAll(".", "=.")],
    ["characters of standard base64", () => signed({}).replace(/.$/, "+")],
    ["a space in front", () => ` ${signed({})}`],
    ["a space behind", () => `${signed({})} `],
    ["a line end", () => `${signed({})}\n`],
    ["a line end inside", () => signed({}).replace(".", ".\n")],
    ["NUL behind", () => `${signed({})}\0`],
    ["NUL inside", () => signed({}).replace(".", "\0.")],
    ["letters beyond ASCII", () => signed({}).replace(/.$/, "é")],
    ["an unpaired surrogate", () => `${signed({})}\uD800`],
    ["a character that looks like the dot", () => signed({}).replaceAll(".", "․")],
    ["two tokens with a comma", () => `${signed({})},${signed({})}`],
    ["Bearer in front", () => `Bearer ${signed({})}`],
    ["JSON serialization", () => JSON.stringify({ payload: "", protected: "", signature: "" })],
    ["a header that is no object", () => `${encode("[]")}.${signed({}).split(".").slice(1).join(".")}`],
    ["a header that is no UTF-8", () => `${encode(Buffer.from([0xff]))}.${signed({}).split(".").slice(1).join(".")}`],
    ["8 KB and a character", () => "x".repeat(8_193)],
    ["well signed, but longer than 8 KB", () => signed({ jti: "x".repeat(8_192) })],
    ["a megabyte", () => signed({ jti: "x".repeat(1_048_576) })],
  ])("as a token %s", async (_, token) => {
    expect(await outcome(() => verifyToken(token()))).toEqual(tokenInvalid);
  });

  test("an encrypted token, even with the right key", async () => {
    const key = new TextEncoder().encode(secret.slice(0, 32));
    const verify = await createTokenVerifier({ secret: secret.slice(0, 32) });
    const token = await new CompactEncrypt(Buffer.from(JSON.stringify(good())))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .encrypt(key);
    expect(await outcome(() => verify(token))).toEqual(tokenInvalid);
  });
});

test("the next good token passes after a bad one", async () => {
  expect(await outcome(() => verifyToken("bad"))).toEqual(tokenInvalid);
  expect(await verifyToken(signed({}))).toMatchObject({ userId: "1" });
});

test.each([
  ["neither a secret nor a URL of keys", {}, "set one of them"],
  ["both", { secret, jwksUrl: "https://issuer.example/jwks.json" }, "set one of them"],
  ["an empty secret", { secret: "" }, "at least 32 bytes"],
  ["31 bytes of a secret", { secret: "x".repeat(31) }, "at least 32 bytes"],
])("does not start with %s", async (_, settings, message) => {
  await expect(createTokenVerifier(settings)).rejects.toThrow(message);
});
