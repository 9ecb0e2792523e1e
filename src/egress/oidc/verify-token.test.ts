import fc from "fast-check";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { IssuerSettings } from "../../core/issuer.ts";
import {
  claimedIssuer,
  createTokenVerifier,
  isSignedToken,
  tokenLengthMax,
  type TokenVerifier,
} from "./verify-token.ts";

const issuer = "https://login.corp.example";
const settings: IssuerSettings = {
  name: "default",
  label: "Corp",
  issuer,
  clientId: "restante",
  clientSecret: null,
  scopes: ["openid"],
  audiences: ["restante", "https://mail.corp.example"],
  groupsClaim: null,
  accountGroups: [],
  domains: [],
  mayCreate: true,
};
const clock = new FakeClock();
const now = Math.floor(clock.now() / 1000);
const claims = { iss: issuer, aud: "restante", sub: "ann", iat: now, exp: now + 3600 };
const logout = { "http://schemas.openid.net/event/backchannel-logout": {} };

let sign: (payload: JWTPayload) => Promise<string>;
let verifier: TokenVerifier;
beforeAll(async () => {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }] });
  sign = async (payload) => new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid: "k1" }).sign(privateKey);
  verifier = createTokenVerifier(settings, {
    fetch: async () => new Response(keys),
    clock,
    metadata: async () => ({ issuer, keysUrl: `${issuer}/keys` }),
  });
});

test("accepts a token of an audience until it has expired for more than a minute", async () => {
  expect(await verifier.verifyBearer(await sign(claims))).toEqual({ subject: "ann", expiresAt: claims.exp * 1000 });
  expect(await verifier.verifyBearer(await sign({ ...claims, aud: ["x", settings.audiences[1] ?? ""] }))).toBeDefined();
  expect(await verifier.verifyBearer(await sign({ ...claims, exp: now - 59 }))).toBeDefined();
  expect(await verifier.verifyBearer(await sign({ ...claims, exp: now - 60 }))).toBeUndefined();
});

test("accepts no ID token of a sign-in here, which URLs of sign-out contain, and one that another client was issued", async () => {
  const token = { ...claims, nonce: "n" };
  expect(await verifier.verifyBearer(await sign(token))).toBeUndefined();
  expect(
    await verifier.verifyBearer(await sign({ ...token, aud: ["x", "restante"], azp: "restante" })),
  ).toBeUndefined();
  expect(await verifier.verifyBearer(await sign({ ...token, azp: "another" }))).toBeDefined();
  expect(await verifier.verifyBearer(await sign({ ...token, aud: settings.audiences[1] ?? "" }))).toBeDefined();
});

test("accepts a logout token once, and not as a bearer token", async () => {
  const { exp: _exp, ...timeless } = claims;
  const token = await sign({ ...timeless, jti: "1", events: logout });
  expect(await verifier.verifyBearer(await sign({ ...claims, events: logout }))).toBeUndefined();
  expect(await verifier.verifyLogout(token)).toMatchObject({ subject: "ann", sid: null, id: "1" });
  expect(await verifier.verifyLogout(token)).toBeUndefined();
  expect(await verifier.verifyLogout(await sign({ ...timeless, jti: "2", iat: now - 361, events: logout }))).toBe(
    undefined,
  );
});

describe("a token", () => {
  test("is rejected when a bit of its header, its claims or its signature is changed", async () => {
    const token = await sign(claims);
    const parts = token.split(".").map((part) => Buffer.from(part, "base64url"));
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(), fc.nat(7), async (part, place, bit) => {
        const changed = parts.map((bytes) => Buffer.from(bytes));
        const bytes = changed[part] ?? Buffer.alloc(1);
        const at = place % bytes.byteLength;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const text = changed.map((one) => one.toString("base64url")).join(".");
        expect(await verifier.verifyBearer(text)).toBeUndefined();
      }),
    );
  });

  test("needs issuer, audience, subject and a future end, whatever its other claims are", async () => {
    const value = fc.oneof(fc.constantFrom(...Object.values(claims)), fc.jsonValue());
    const some = fc.dictionary(fc.constantFrom(...Object.keys(claims), "nbf", "events"), value);
    await fc.assert(
      fc.asyncProperty(some, async (given) => {
        const accepted = await verifier.verifyBearer(await sign(given));
        if (accepted === undefined) return;
        const { iss, aud, sub, exp, events } = given;
        expect([iss, typeof sub, events]).toEqual([issuer, "string", undefined]);
        expect([aud].flat().some((one) => settings.audiences.some((audience) => audience === one))).toBe(true);
        expect(Number(exp)).toBeGreaterThan(now - 60);
      }),
    );
  });

  test("is read without an exception, whatever its text is", () => {
    const part = fc.oneof(
      fc.string(),
      fc.jsonValue().map((json) => Buffer.from(JSON.stringify(json)).toString("base64url")),
    );
    const text = fc.array(part, { maxLength: 4 }).map((all) => all.join("."));
    fc.assert(
      fc.property(text, (token) => {
        const found = claimedIssuer(token);
        expect(found === undefined || typeof found === "string").toBe(true);
        if (isSignedToken(token)) expect(token.split(".")).toHaveLength(3);
      }),
    );
  });

  test("is recognised up to the longest length", () => {
    const longest = `eyJ.eyJ.`.replaceAll("eyJ", "eyJh").padEnd(tokenLengthMax, "a");
    expect([isSignedToken(longest), isSignedToken(`${longest}a`)]).toEqual([true, false]);
  });
});
