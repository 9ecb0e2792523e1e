/** Verification of signed tokens of an issuer (JWT, RFC 7519). The only file that uses jose, which is loaded on first use. */
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from "jose";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import { readJson } from "../../core/read-json.ts";
import type { IssuerFetch } from "./issuer-fetch.ts";
import type { IssuerSettings } from "../../core/issuer.ts";

/** Largest difference between the clocks of an issuer and of this machine, in seconds. */
export const clockToleranceSeconds = 60;
/** Longest token that is read, in characters; longer ones are invalid. */
export const tokenLengthMax = 16_384;
/** Pause between two requests for keys after tokens with an unknown key, in milliseconds. */
export const keyPauseMs = 30_000;
/** Age at which a logout token without `exp` is invalid, in seconds. */
const logoutTokenSecondsMax = 300;
/** Logout tokens that are remembered, so that none is accepted twice. */
const seenCountMax = 10_000;

/** Signatures by public keys; neither `none`, nor HMAC, whose key would be the public one. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** Codes of errors of jose that are about the response with the keys, not about the token. */
const outageCodes: ReadonlySet<string> = new Set(["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]);
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";
/** Compact form of a signed token, whose header is an object. */
const shape = /^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/;

/** Returns whether a secret has the form of a signed token, which no key has. */
export function isSignedToken(secret: string): boolean {
  return secret.length <= tokenLengthMax && shape.test(secret);
}

/** Returns the claim `iss` of a token that nothing has verified yet; undefined for anything else. */
export function claimedIssuer(token: string): string | undefined {
  const reading = readJson(Buffer.from(token.split(".")[1] ?? "", "base64url"));
  const claims = "value" in reading ? reading.value : null;
  const issuer = typeof claims === "object" && claims !== null && "iss" in claims ? claims.iss : undefined;
  return typeof issuer === "string" ? issuer : undefined;
}

/** Verified bearer token. */
export interface BearerClaims {
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Verified logout token (OpenID Connect Back-Channel Logout 1.0 §2.4): at least one of `sid` and `subject`. */
export interface LogoutClaims {
  readonly sid: string | null;
  readonly subject: string | null;
  readonly id: string;
  /** Milliseconds since the Unix epoch. */
  readonly issuedAt: number;
}

/** Metadata of an issuer that verification needs. */
export interface KeyMetadata {
  readonly issuer: string;
  readonly keysUrl: string;
}

/** Dependencies of {@link createTokenVerifier}. */
interface VerifierDependencies {
  readonly fetch: IssuerFetch;
  readonly clock: Pick<Clock, "now">;
  /** Returns the discovered metadata; rejects with `unavailable`. */
  readonly metadata: () => Promise<KeyMetadata>;
}

/** Verifies tokens of one issuer. Methods resolve with undefined for invalid ones, and reject with `unavailable` without its keys. */
export interface TokenVerifier {
  readonly verifyBearer: (token: string) => Promise<BearerClaims | undefined>;
  readonly verifyLogout: (token: string) => Promise<LogoutClaims | undefined>;
}

/** Creates the verifier of an issuer. It requests keys when it has none, every ten minutes, and at most every 30 seconds for unknown ones. */
export function createTokenVerifier(settings: IssuerSettings, dependencies: VerifierDependencies): TokenVerifier {
  const { fetch, clock, metadata } = dependencies;
  const isNew = createReplayTest(clock);
  let keys: { readonly url: string; readonly find: JWTVerifyGetKey } | undefined;
  const verify = async (token: string, options: JWTVerifyOptions): Promise<JWTVerifyResult | undefined> => {
    if (!isSignedToken(token)) return undefined;
    const { issuer, keysUrl } = await metadata();
    const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import("jose");
    if (keys?.url !== keysUrl) {
      const source = { [customFetch]: fetch, cooldownDuration: keyPauseMs };
      keys = { url: keysUrl, find: createRemoteJWKSet(new URL(keysUrl), source) };
    }
    const common = { issuer, algorithms, clockTolerance: clockToleranceSeconds, currentDate: new Date(clock.now()) };
    try {
      return await jwtVerify(token, keys.find, { ...common, ...options });
    } catch (error) {
      if (error instanceof errors.JOSEError && !outageCodes.has(error.code)) return undefined;
      throw new Problem("unavailable", { text: `The keys of ${settings.label} are not available`, cause: error });
    }
  };
  return {
    verifyBearer: async (token) => {
      const { audiences: audience } = settings;
      if (audience.length === 0) return undefined;
      const found = await verify(token, { audience: [...audience], requiredClaims: ["exp", "sub"] });
      return found && bearerClaimsOf(found, settings.clientId);
    },
    verifyLogout: async (token) => {
      const options = {
        audience: settings.clientId,
        requiredClaims: ["iat", "jti"],
        maxTokenAge: logoutTokenSecondsMax,
      };
      const found = await verify(token, options);
      const claims = found && logoutClaimsOf(found);
      return claims && isNew(claims.id) ? claims : undefined;
    },
  };
}

/** Returns a function that is true for an id that it has not seen while a logout token is valid; it keeps the last 10,000. */
function createReplayTest(clock: Pick<Clock, "now">): (id: string) => boolean {
  const seen = new Map<string, number>();
  return (id) => {
    const now = clock.now();
    for (const [old, until] of seen) {
      if (until > now && seen.size < seenCountMax) break;
      seen.delete(old);
    }
    if (seen.has(id)) return false;
    seen.set(id, now + (logoutTokenSecondsMax + 2 * clockToleranceSeconds) * 1000);
    return true;
  };
}

/**
 * Neither a logout token, which also has `iss`, `aud` and `sub`, nor the ID token of a sign-in here, which is a hint in the URL that
 * signs a browser out, is a bearer token.
 */
function bearerClaimsOf({ payload, protectedHeader }: JWTVerifyResult, clientId: string): BearerClaims | undefined {
  const { sub = "", exp = 0 } = payload;
  if (sub === "" || payload["events"] !== undefined || protectedHeader.typ === "logout+jwt") return undefined;
  const isIdToken = payload["nonce"] !== undefined && [payload.aud ?? []].flat().includes(clientId);
  if (isIdToken && (payload["azp"] ?? clientId) === clientId) return undefined;
  return { subject: sub, expiresAt: exp * 1000 };
}

function logoutClaimsOf({ payload, protectedHeader }: JWTVerifyResult): LogoutClaims | undefined {
  const { iat = 0, jti: id = "" } = payload;
  const [sid, subject] = [textOf(payload["sid"]), textOf(payload.sub)];
  const isLogout = isLogoutType(protectedHeader.typ) && hasLogoutEvent(payload["events"]);
  if (!isLogout || payload["nonce"] !== undefined || id === "" || (subject ?? sid) === null) return undefined;
  return { sid, subject, id, issuedAt: iat * 1000 };
}

/** Returns whether a type is that of logout tokens, or says nothing: older issuers send `JWT` or none. */
function isLogoutType(type = "jwt"): boolean {
  const name = type.toLowerCase().replace(/^application\//, "");
  return name === "logout+jwt" || name === "jwt";
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function hasLogoutEvent(events: unknown): boolean {
  if (typeof events !== "object" || events === null || !Object.hasOwn(events, logoutEvent)) return false;
  const event = (events as Readonly<Record<string, unknown>>)[logoutEvent];
  return typeof event === "object" && event !== null;
}
