/** Browser sessions: random secrets that stand for API keys, stored as hashes, so that every node knows them. */
import { createHash, randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../../operations/context.ts";
import { openKey, principalOf as principalOfKey } from "../../operations/find-key.ts";
import { readTicket, signTarget } from "./tickets.ts";

/**
 * Both secrets of a session, 256 random bits as base64url each. Neither opens anything without the other: browsers send the
 * cookie to every port of a machine, and scripts cannot read it; the page token is known only to scripts of our own origin.
 */
export interface SessionSecrets {
  readonly cookie: string;
  readonly page: string;
}

/** The sessions of one service, whichever of its nodes opened them. */
export interface Sessions {
  /** A secret that opens one session for the key, once, within {@link tokenMsMax}. */
  issueToken(keyHash: string): Promise<string>;
  /** The hash of the key that a token was issued for; undefined for a wrong, used or late one. */
  redeemToken(token: string): Promise<string | undefined>;
  /** Opens a session of the key. */
  open(keyHash: string): Promise<SessionSecrets>;
  /** Returns the session's principal; undefined when it has ended, by time or with its key. Using a session keeps it. */
  principalOf(session: SessionSecrets): Promise<Principal | undefined>;
  /** Returns the target (path and query, see `isTicketTarget`) as a URL that the session's cookie opens, for minutes. */
  signTarget(session: SessionSecrets, target: string): string;
  /** Returns the principal of the session that signed a URL for this cookie; undefined when there is none. */
  principalOfTicket(url: string, cookie: string): Promise<Principal | undefined>;
  /** Ends a session; does nothing when there is none. */
  close(session: SessionSecrets): Promise<void>;
  /** Clears away what time has ended; nothing of it opens anything before. */
  forgetEnded(): Promise<void>;
}

/** A session ends after so long without a request. */
export const sessionIdleMsMax: number = 24 * 3_600_000;
/** Use is noted once in so long: a session that was used in between may end so much earlier, never later. */
export const sessionUseNotedMs: number = 3_600_000;
/** A session ends so long after it began, used or not. */
export const sessionMsMax: number = 7 * 24 * 3_600_000;
/** How long a one-time token waits; not longer than an idle session, or it would be cleared away before. */
export const tokenMsMax: number = 24 * 3_600_000;
/** Sessions at the same time; beyond, the one that began first ends. */
export const sessionCountMax = 1000;
/** Tokens that wait at the same time; beyond, the one that was issued first ends. */
export const tokenCountMax = 100;

const secretShape = /^[\w-]{43}$/;

/** Creates the sessions over the store, which keeps secrets as SHA-256 only, so that look-ups leak no timing. */
export function createSessions(context: Pick<Context, "store" | "clock" | "revocations" | "secrets">): Sessions {
  const { store, clock } = context;
  const { signIns } = store;

  const add = async (kind: "token" | "session", secret: string, keyHash: string): Promise<void> => {
    const countMax = kind === "token" ? tokenCountMax : sessionCountMax;
    await signIns.addSignIn({ name: nameOf(secret), kind, keyHash, openedAt: clock.now() }, countMax);
  };
  const principalOf = async (name: string): Promise<Principal | undefined> => {
    const found = await signIns.findSignIn(name);
    const now = clock.now();
    if (found?.kind !== "session" || now - found.openedAt >= sessionMsMax) return undefined;
    if (now - found.usedAt >= sessionIdleMsMax) return undefined;
    const key = await openKey(context, found.keyHash);
    if (key === undefined) await whereItGoes(signIns.removeSignIn(found.name));
    else if (now - found.usedAt >= sessionUseNotedMs) await whereItGoes(signIns.useSignIn(found.name, now));
    return key === undefined ? undefined : principalOfKey(key, found.keyHash);
  };

  return {
    issueToken: async (keyHash) => {
      const token = newSecret();
      await add("token", token, keyHash);
      return token;
    },
    redeemToken: async (token) => {
      // Keys come this way too: they cost a look, and only a token costs a write.
      if (!secretShape.test(token) || (await signIns.findSignIn(nameOf(token)))?.kind !== "token") return undefined;
      const taken = await signIns.takeToken(nameOf(token));
      return taken !== undefined && clock.now() - taken.openedAt < tokenMsMax ? taken.keyHash : undefined;
    },
    open: async (keyHash) => {
      const session = { cookie: newSecret(), page: newSecret() };
      await add("session", joined(session), keyHash);
      return session;
    },
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
    close: async (session) => {
      if (await signIns.removeSignIn(nameOf(joined(session)))) context.revocations.tell(null);
    },
    forgetEnded: async () => {
      const now = clock.now();
      await signIns.forgetSignIns({ openedBefore: now - sessionMsMax, usedBefore: now - sessionIdleMsMax });
    },
  };
}

/** A medium without room keeps nobody from reading: what could not be written is tried again with the next request. */
async function whereItGoes(write: Promise<unknown>): Promise<void> {
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
