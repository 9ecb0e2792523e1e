/** Who is signed in with a browser: random names for keys, kept in memory only, so that a restart ends them all. */
import { createHash, randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import type { Clock } from "../../core/clock.ts";
import type { Context } from "../../operations/context.ts";
import { principalOfKey } from "../../operations/principal-of-key.ts";

/** The sessions of one service. */
export interface Sessions {
  /** A secret that opens one session for the key, once, within {@link tokenMsMax}. */
  issueToken(keyHash: string): string;
  /** The hash of the key that a token was issued for; undefined for a wrong, used or late one. */
  redeemToken(token: string): string | undefined;
  /** A new session of the key; the answer is its secret name: 256 random bits as base64url. */
  open(keyHash: string): string;
  /** Whoever the session speaks for; undefined when it has ended, by time or with its key. Using a session keeps it. */
  principalOf(session: string): Promise<Principal | undefined>;
  /** Ends a session; nothing happens when there is none. */
  close(session: string): void;
}

interface Session {
  readonly keyHash: string;
  readonly openedAt: number;
  usedAt: number;
}

/** A session ends after so long without a request. */
export const sessionIdleMsMax: number = 24 * 3_600_000;
/** A session ends so long after it began, used or not. */
export const sessionMsMax: number = 7 * 24 * 3_600_000;
/** How long a one-time token waits. */
export const tokenMsMax: number = 24 * 3_600_000;
/** Sessions at the same time; beyond, the one that began first ends. */
export const sessionCountMax = 1000;
const tokenCountMax = 100;

/** No sessions yet. Secrets are kept as SHA-256 only, so no comparison depends on how much of a guess is right. */
export function createSessions(context: Pick<Context, "store" | "clock" | "revocations">): Sessions {
  const { clock } = context;
  const sessions = new Map<string, Session>();
  const tokens = new Map<string, { readonly keyHash: string; readonly issuedAt: number }>();

  const findOpen = (name: string): Session | undefined => {
    const session = sessions.get(name);
    if (session === undefined || isOpen(session, clock)) return session;
    sessions.delete(name);
    return undefined;
  };

  return {
    issueToken: (keyHash) => {
      const token = newSecret();
      dropOldest(tokens, tokenCountMax);
      tokens.set(nameOf(token), { keyHash, issuedAt: clock.now() });
      return token;
    },
    redeemToken: (token) => {
      const name = nameOf(token);
      const issued = tokens.get(name);
      tokens.delete(name);
      return issued !== undefined && clock.now() - issued.issuedAt < tokenMsMax ? issued.keyHash : undefined;
    },
    open: (keyHash) => {
      const session = newSecret();
      dropOldest(sessions, sessionCountMax);
      sessions.set(nameOf(session), { keyHash, openedAt: clock.now(), usedAt: clock.now() });
      return session;
    },
    principalOf: async (session) => {
      const name = nameOf(session);
      const found = findOpen(name);
      if (found === undefined) return undefined;
      const principal = await principalOfKey(context, found.keyHash);
      if (principal === undefined) sessions.delete(name);
      else found.usedAt = clock.now();
      return principal;
    },
    close: (session) => {
      if (sessions.delete(nameOf(session))) context.revocations.tell();
    },
  };
}

function isOpen({ openedAt, usedAt }: Session, clock: Pick<Clock, "now">): boolean {
  const now = clock.now();
  return now - usedAt < sessionIdleMsMax && now - openedAt < sessionMsMax;
}

/** Maps remember the order of insertion. */
function dropOldest(map: Map<string, unknown>, countMax: number): void {
  const [oldest] = map.keys();
  if (map.size >= countMax && oldest !== undefined) map.delete(oldest);
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function nameOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64url");
}
