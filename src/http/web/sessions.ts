/** Who is signed in with a browser: random secrets for keys, kept in the store as hashes, so that every node knows them. */
import { createHash, randomBytes } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { Context } from "../../operations/context.ts";
import { principalOfKey } from "../../operations/principal-of-key.ts";

/** The sessions of one service, whichever of its nodes opened them. */
export interface Sessions {
  /** A secret that opens one session for the key, once, within {@link tokenMsMax}. */
  issueToken(keyHash: string): Promise<string>;
  /** The hash of the key that a token was issued for; undefined for a wrong, used or late one. */
  redeemToken(token: string): Promise<string | undefined>;
  /** A new session of the key; the answer is its secret name: 256 random bits as base64url. */
  open(keyHash: string): Promise<string>;
  /** Whoever the session speaks for; undefined when it has ended, by time or with its key. Using a session keeps it. */
  principalOf(session: string): Promise<Principal | undefined>;
  /** Ends a session; nothing happens when there is none. */
  close(session: string): Promise<void>;
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

/** The sessions in the store. Secrets are kept as SHA-256 only, so no comparison depends on how much of a guess is right. */
export function createSessions(context: Pick<Context, "store" | "clock" | "revocations">): Sessions {
  const { store, clock } = context;
  const { signIns } = store;

  const add = async (kind: "token" | "session", keyHash: string, countMax: number): Promise<string> => {
    const secret = randomBytes(32).toString("base64url");
    await signIns.addSignIn({ name: nameOf(secret), kind, keyHash, openedAt: clock.now() }, countMax);
    return secret;
  };

  return {
    issueToken: async (keyHash) => add("token", keyHash, tokenCountMax),
    redeemToken: async (token) => {
      // Keys come this way too: they cost a look, and only a token costs a write.
      if (!secretShape.test(token) || (await signIns.findSignIn(nameOf(token)))?.kind !== "token") return undefined;
      const taken = await signIns.takeToken(nameOf(token));
      return taken !== undefined && clock.now() - taken.openedAt < tokenMsMax ? taken.keyHash : undefined;
    },
    open: async (keyHash) => add("session", keyHash, sessionCountMax),
    principalOf: async (session) => {
      const found = secretShape.test(session) ? await signIns.findSignIn(nameOf(session)) : undefined;
      const now = clock.now();
      if (found?.kind !== "session" || now - found.openedAt >= sessionMsMax) return undefined;
      if (now - found.usedAt >= sessionIdleMsMax) return undefined;
      const principal = await principalOfKey(context, found.keyHash);
      if (principal === undefined) await whereItGoes(signIns.removeSignIn(found.name));
      else if (now - found.usedAt >= sessionUseNotedMs) await whereItGoes(signIns.useSignIn(found.name, now));
      return principal;
    },
    close: async (session) => {
      if (await signIns.removeSignIn(nameOf(session))) context.revocations.tell();
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

function nameOf(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64url");
}
