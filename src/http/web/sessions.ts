/** Browser sessions: random secrets that authenticate like API keys, stored as hashes and shared by all nodes. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Principal } from "../../core/api-key.ts";
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import type { AccountContext, Context } from "../../operations/context.ts";
import { findEndSessionUrl, type OpenedAtIssuer, sealTokens } from "../../operations/people/issuer-sessions.ts";
import { openPrincipal } from "../../operations/services/security/authenticate.ts";
import { principalOfUser } from "../../operations/services/security/principals.ts";
import type { SecretBox } from "../../operations/services/security/secret-box.ts";

// Tickets: short-lived signed URLs of frames, images and downloads, which browsers fetch without script.

/** Time for which a ticket is valid, in milliseconds. */
export const ticketMsMax: number = 5 * 60_000;

/** Claim of a ticket. */
interface TicketClaim {
  /** Stored name of the session that requested the ticket; not a secret. */
  readonly session: string;
  /** Cookie of the session, without which the ticket is invalid. */
  readonly cookie: string;
  /** Path and query of the only URL that the ticket opens. */
  readonly target: string;
}

const purpose = "web ticket";
const ending = /[?&]ticket=([\w-]{43})\.([0-9a-z]{1,12})\.([\w-]{43})$/;
/** URLs that a browser fetches by itself. */
const openable =
  /^\/(?:(?:api\/files|web\/messages|web\/images)\/[^\s#\\]*|api\/messages\/[\da-f-]{36}\/(?:bundle|attachments)|api\/servers\/[a-z\d]{8}\/bundle)$/;

/** Longest path and query that a ticket is issued for, in characters. */
const ticketTargetLengthMax = 2000;

/** Returns whether tickets are issued for this path and query. */
export function isTicketTarget(target: string): boolean {
  return target.length <= ticketTargetLengthMax && openable.test(target) && !/[?&]ticket=/.test(target);
}

/** Returns the target with a ticket at the end of its query, valid for {@link ticketMsMax}. */
function signTarget(context: TicketContext, claim: TicketClaim): string {
  const expires = (context.clock.now() + ticketMsMax).toString(36);
  const mark = claim.target.includes("?") ? "&" : "?";
  return `${claim.target}${mark}ticket=${claim.session}.${expires}.${macOf(context, claim, expires)}`;
}

/** Returns the stored name of the session of a URL's ticket; undefined without a valid ticket. */
function readTicket(context: TicketContext, url: string, cookie: string): string | undefined {
  const found = ending.exec(url);
  if (found === null) return undefined;
  const [, session = "", expires = "", mac = ""] = found;
  const claim = { session, cookie, target: url.slice(0, found.index) };
  const isGenuine = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(context, claim, expires)));
  return isGenuine && context.clock.now() < Number.parseInt(expires, 36) ? session : undefined;
}

/** Dependencies of tickets. */
interface TicketContext {
  readonly clock: Pick<Clock, "now">;
  readonly secrets: Pick<SecretBox, "mac">;
}

function macOf({ secrets }: TicketContext, { session, cookie, target }: TicketClaim, expires: string): string {
  return secrets.mac([session, cookie, expires, target].join("\n"), purpose).toString("base64url");
}

/**
 * Both secrets of a session, 256 random bits as base64url each. Neither is valid alone: browsers send the cookie to
 * every port of a machine, and scripts cannot read it; the page token is known only to scripts of this origin.
 */
export interface SessionSecrets {
  readonly cookie: string;
  readonly page: string;
}

/** Sessions of the service, on all of its nodes. */
export interface Sessions {
  /** Issues a secret that opens one session for the key, once, within {@link tokenMsMax}. */
  issueToken(keyHash: string): Promise<string>;
  /** Returns the hash of the key that a token was issued for; undefined for an unknown, used or expired one. */
  redeemToken(token: string): Promise<string | undefined>;
  /** Opens a session of the key. */
  open(keyHash: string): Promise<SessionSecrets>;
  /** Opens a session of the user, which may come from one at an OpenID provider. */
  openForUser(user: string, atIssuer?: OpenedAtIssuer): Promise<SessionSecrets>;
  /** Returns the session's principal; undefined when the session or its key has expired, and without an active user. Extends the session. */
  principalOf(session: SessionSecrets): Promise<Principal | undefined>;
  /**
   * Returns the target (path and query, see `isTicketTarget`) as a URL that the session's cookie opens for some
   * minutes.
   */
  signTarget(session: SessionSecrets, target: string): string;
  /** Returns the principal of the session that signed a URL for this cookie; undefined when there is none. */
  principalOfTicket(url: string, cookie: string): Promise<Principal | undefined>;
  /** Returns the URL that signs the browser out at the OpenID provider of the session; null when there is none. */
  findEndSessionUrl(session: SessionSecrets, returnTo: string): Promise<string | null>;
  /** Closes a session; does nothing when there is none. */
  close(session: SessionSecrets): Promise<void>;
  /** Deletes expired sessions and tokens, which are not accepted any more in any case. */
  forgetEnded(): Promise<void>;
}

/** A session expires after this time without a request, in milliseconds. */
export const sessionIdleMsMax: number = 24 * 3_600_000;
/**
 * Interval at which the use of a session is stored, in milliseconds; a session may expire that much earlier, never
 * later.
 */
export const sessionUseNotedMs: number = 3_600_000;
/** A session expires this long after it was opened, used or not, in milliseconds. */
export const sessionMsMax: number = 7 * 24 * 3_600_000;
/** A one-time token expires after this time, in milliseconds; not longer than an idle session. */
export const tokenMsMax: number = 24 * 3_600_000;
/** Largest number of sessions; beyond it the oldest is closed. */
const sessionCountMax = 20_000;
/** Largest number of sessions of one key or user, so that none closes those of others; beyond it the oldest is closed. */
export const ownSessionCountMax = 1000;
/** Largest number of one-time tokens; beyond it the oldest expires. */
const tokenCountMax = 2000;
/** Largest number of one-time tokens of one key; beyond it the oldest expires. */
export const ownTokenCountMax = 100;

type NewSignIn = Parameters<AccountContext["store"]["signIns"]["addSignIn"]>[0];

const secretShape = /^[\w-]{43}$/;

/** Creates the sessions over the store, which holds secrets as SHA-256 only, so that look-ups leak no timing. */
export function createSessions(context: AccountContext & Pick<Context, "issuers">): Sessions {
  const { store, clock } = context;
  const { signIns } = store;

  const add = async (secret: string, own: Omit<NewSignIn, "name" | "openedAt">): Promise<void> => {
    const countMax = own.kind === "token" ? tokenCountMax : sessionCountMax;
    const ofHolderMax = own.kind === "token" ? ownTokenCountMax : ownSessionCountMax;
    await signIns.addSignIn({ name: nameOf(secret), ...own, openedAt: clock.now() }, countMax, ofHolderMax);
  };
  const openSession = async (own: SessionHolder, opened: OpenedAtIssuer | undefined): Promise<SessionSecrets> => {
    const session = { cookie: newSecret(), page: newSecret() };
    const secret = joined(session);
    const atIssuer = opened && { ...opened, tokens: sealTokens(context, nameOf(secret), opened.tokens) };
    await add(secret, { kind: "session", ...own, ...(atIssuer && { atIssuer }) });
    return session;
  };
  const principalOf = async (name: string): Promise<Principal | undefined> => {
    const found = await signIns.findSignIn(name);
    const now = clock.now();
    if (found?.kind !== "session" || now - found.openedAt >= sessionMsMax) return undefined;
    if (now - found.usedAt >= sessionIdleMsMax) return undefined;
    const principal = await holderOf(context, found);
    if (principal === undefined) await toleratingFullDisk(signIns.removeSignIn(found.name));
    else if (now - found.usedAt >= sessionUseNotedMs) await toleratingFullDisk(signIns.useSignIn(found.name, now));
    return principal;
  };

  return {
    issueToken: async (keyHash) => {
      const token = newSecret();
      await add(token, { kind: "token", keyHash, user: null });
      return token;
    },
    redeemToken: async (token) => {
      // API keys are tried as tokens too: they cost a read, and only a token costs a write.
      if (!secretShape.test(token) || (await signIns.findSignIn(nameOf(token)))?.kind !== "token") return undefined;
      const redeemed = await signIns.takeToken(nameOf(token));
      return redeemed !== undefined && clock.now() - redeemed.openedAt < tokenMsMax
        ? (redeemed.keyHash ?? undefined)
        : undefined;
    },
    open: async (keyHash) => openSession({ keyHash, user: null }, undefined),
    openForUser: async (user, atIssuer) => openSession({ keyHash: null, user }, atIssuer),
    principalOf: async (session) => {
      const isPossible = secretShape.test(session.cookie) && secretShape.test(session.page);
      return isPossible ? principalOf(nameOf(joined(session))) : undefined;
    },
    signTarget: (session, target) =>
      signTarget(context, { session: nameOf(joined(session)), cookie: session.cookie, target }),
    principalOfTicket: async (url, cookie) => {
      const name = readTicket(context, url, cookie);
      return name === undefined ? undefined : principalOf(name);
    },
    findEndSessionUrl: async (session, returnTo) => findEndSessionUrl(context, nameOf(joined(session)), returnTo),
    close: async (session) => {
      if (await signIns.removeSignIn(nameOf(joined(session)))) context.revocations.publish(null);
    },
    forgetEnded: async () => {
      const now = clock.now();
      await signIns.forgetSignIns({ openedBefore: now - sessionMsMax, usedBefore: now - sessionIdleMsMax });
    },
  };
}

/** Key or user of a session. */
interface SessionHolder {
  readonly keyHash: string | null;
  readonly user: string | null;
}

/** Returns the principal of the key or the user of a session; undefined when it has no access any more. */
async function holderOf(context: AccountContext, { keyHash, user }: SessionHolder): Promise<Principal | undefined> {
  if (user !== null) return principalOfUser(context, user);
  return keyHash === null ? undefined : openPrincipal(context, keyHash);
}

/** Ignores a full disk: requests are served nevertheless, and the next one tries to write again. */
async function toleratingFullDisk(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function joined({ cookie, page }: SessionSecrets): string {
  return `${cookie}.${page}`;
}

function nameOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64url");
}

// Transport of a browser session: a cookie (RFC 6265), and a token that only scripts of this origin know.

/** Header that pages of the web UI send with every request; pages of other origins cannot (Fetch, CORS preflight). */
export const ownPageHeader = "x-restante-web";

/** Header with the page token of a session. */
export const pageTokenHeader = "x-restante-session";

/**
 * Returns the name of the cookie. It contains the port of the Host field, since cookies ignore ports and several
 * services on one machine would overwrite each other's.
 */
export function sessionCookieName(host: string | undefined): string {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? "default";
  return `restante-${port}`;
}

/**
 * Returns both secrets of a request's session, or undefined unless a script of this origin sent the request. Browsers
 * send the cookie to every port of a machine, so the cookie alone is not accepted.
 */
export function readSession(headers: IncomingHttpHeaders): SessionSecrets | undefined {
  const page = headers[pageTokenHeader];
  const cookie = readSessionCookie(headers);
  const site = headers["sec-fetch-site"];
  const isOwnScript = typeof page === "string" && page !== "" && (site === undefined || site === "same-origin");
  return isOwnScript && cookie !== undefined ? { cookie, page } : undefined;
}

/** Returns the value of the session's cookie; undefined when there is none. */
export function readSessionCookie(headers: IncomingHttpHeaders): string | undefined {
  const name = sessionCookieName(headers.host);
  for (const pair of (headers.cookie ?? "").split(";")) {
    const [given = "", value = ""] = pair.trim().split("=", 2);
    if (given === name && value !== "") return value;
  }
  return undefined;
}

/** Requests that browsers send the cookie with. */
export interface CookieScope {
  /** Whether the service is reached by HTTPS, so that the cookie is restricted to it. */
  readonly isSecure: boolean;
  /** Path of the service for browsers, without a slash at its end; empty at the root of a host. */
  readonly basePath: string;
}

/** Returns the `Set-Cookie` value that opens a session, or closes it for null. */
export function sessionCookie(
  host: string | undefined,
  cookie: string | null,
  { isSecure, basePath }: CookieScope,
): string {
  const seconds = cookie === null ? 0 : sessionMsMax / 1000;
  const secure = isSecure ? "; Secure" : "";
  const name = sessionCookieName(host);
  return `${name}=${cookie ?? ""}; Path=${basePath}/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
}
