import { decodeJwt, decodeProtectedHeader } from "jose";
import { createTokenSigner } from "../../src/identity/signToken.ts";
import { createTokenVerifier } from "../../src/identity/verifyToken.ts";

const settings = {
  secret: "a secret of thirty-two bytes or more, for tests",
  audience: "content-service",
  issuer: "https://issuer.example",
};

test("signs tokens that the service accepts for fifteen minutes", async () => {
  const before = Math.floor(Date.now() / 1_000);
  const signed = await createTokenSigner(settings)?.("7");
  const verify = await createTokenVerifier(settings);
  expect(await verify(signed?.token ?? "")).toEqual({
    userId: "7",
    expiresAt: signed?.expiresAt,
    issuedAt: decodeJwt(signed?.token ?? "").iat,
  });
  const seconds = (signed?.expiresAt.getTime() ?? 0) / 1_000 - before;
  expect(seconds).toBeGreaterThanOrEqual(900);
  expect(seconds).toBeLessThan(910);
});

test("sets sub, aud, iss, iat, exp and jti", async () => {
  const { token = "" } = (await createTokenSigner(settings)?.("7", 60)) ?? {};
  const { iat = 0, ...claims } = decodeJwt(token);
  expect(decodeProtectedHeader(token)).toEqual({ alg: "HS256", typ: "JWT" });
  expect(claims).toEqual({
    sub: "7",
    aud: settings.audience,
    iss: settings.issuer,
    exp: iat + 60,
    jti: expect.stringMatching(/^[\da-f-]{36}$/),
  });
});

test("leaves out aud and iss when they are not set", async () => {
  const { token = "" } = (await createTokenSigner({ secret: settings.secret })?.("7")) ?? {};
  expect(Object.keys(decodeJwt(token)).sort()).toEqual(["exp", "iat", "jti", "sub"]);
});

test("never signs the same token twice", async () => {
  const sign = createTokenSigner(settings);
  const tokens = await Promise.all(Array.from({ length: 50 }, async () => (await sign?.("7"))?.token));
  expect(new Set(tokens).size).toBe(50);
});

test("signs nothing when another service has the keys", () => {
  expect(createTokenSigner({ jwksUrl: "https://issuer.example/jwks.json" })).toBeUndefined();
});

test("refuses a short secret", () => {
  expect(() => createTokenSigner({ secret: "short" })).toThrow("at least 32 bytes");
});
