/** Secrets and open challenges of an account at a certificate authority: in the store that nodes share, and at the HTTPS listener. */
import type { ServerOptions } from "node:https";
import { createSecureContext, type TLSSocket } from "node:tls";
import { challengeCertificate } from "../../tls/issued-certificate.ts";
import type { ChallengeAnswers } from "../../egress/acme/order-certificate.ts";
import type { Context } from "../../operations/context.ts";
import type { Store } from "../../store/store.ts";

/** Answers to challenges of a certificate authority. */
export interface ChallengeLookup extends ChallengeAnswers {
  /** Returns the key authorization of an open challenge; undefined without one. */
  get(id: string): Promise<string | undefined> | string | undefined;
}

/** Open challenges of this process, or of all nodes. */
export interface OpenChallenges {
  readonly answers: ChallengeLookup;
  /** Challenges that TLS handshakes answer, which cannot wait for the store: on nodes, those of the last read. */
  readonly seen: ReadonlyMap<string, string>;
}

/** Texts and answers that all nodes have in common. */
export interface SharedAcme extends OpenChallenges {
  /** Returns a text; undefined when it is missing, expired, or sealed with another secret key. */
  readonly read: (id: string) => Promise<string | undefined>;
  /** Stores a text, sealed, until an instant in milliseconds since the Unix epoch. */
  readonly write: (id: string, text: string, expiresAt: number) => Promise<void>;
  /** Reads the challenges that are {@link OpenChallenges.seen}. */
  readonly look: () => Promise<void>;
}

const owner = { provider: "restante", server: null } as const;
/** Texts: one certificate for each set of names that nodes are configured with, and account keys. */
const textCountMax = 100;
/** Challenges that are open at the same time, and the time after which one is forgotten whose node has died. */
const challengeCountMax = 100;
const challengeMs = 10 * 60_000;

/** Returns what nodes share. Calls reject as the store does. */
export function openSharedAcme({
  store,
  secrets,
  clock,
}: Pick<Context, "secrets" | "clock"> & { readonly store: Pick<Store, "providerObjects"> }): SharedAcme {
  const { providerObjects } = store;
  const textOf = (id: string) => ({ ...owner, kind: "acme", id });
  const sealedFor = (id: string): string => `acme ${id}`;
  const challenges = { ...owner, kind: "acmeChallenge" };
  const readChallenges = shareReads(async () => {
    const page = { offset: 0, limit: challengeCountMax, now: clock.now() };
    const found = await providerObjects.listObjects(challenges, page);
    return new Map(found.map(({ id, json }) => [id, JSON.parse(json) as string]));
  });
  const seen = new Map<string, string>();
  const put = async (
    key: ReturnType<typeof textOf>,
    value: string,
    bounds: { expiresAt: number; countMax: number },
  ) => {
    await providerObjects.putObject({
      ...key,
      ...bounds,
      json: JSON.stringify(value),
      version: null,
      now: clock.now(),
    });
  };
  return {
    read: async (id) => {
      const found = await providerObjects.getObject(textOf(id), clock.now());
      const sealed = found === undefined ? "" : (JSON.parse(found.json) as string);
      return secrets.open(Buffer.from(sealed, "base64url"), sealedFor(id));
    },
    write: async (id, text, expiresAt) => {
      const sealed = Buffer.from(secrets.seal(text, sealedFor(id))).toString("base64url");
      await put(textOf(id), sealed, { expiresAt, countMax: textCountMax });
    },
    look: async () => {
      const found = await readChallenges();
      seen.clear();
      for (const [id, keyAuthorization] of found) seen.set(id, keyAuthorization);
    },
    seen,
    answers: {
      get: async (id) => (await readChallenges()).get(id),
      set: async (id, value) =>
        put({ ...challenges, id }, value, { expiresAt: clock.now() + challengeMs, countMax: challengeCountMax }),
      delete: async (id) => providerObjects.removeObject({ ...challenges, id }, clock.now()),
    },
  };
}

/** Returns a function that reads once at a time, however many strangers ask: calls during a read share the next one. */
function shareReads<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let next: Promise<Result> | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return async () => {
    next ??= last.then(async () => {
      next = null;
      return read();
    });
    const own = next;
    // The callers of a read receive its failure; the next read only waits for its end.
    last = own.catch(() => undefined);
    return own;
  };
}

/** Protocol by which an authority asks for the certificate of a challenge (RFC 8737 §6.2). */
const challengeProtocol = "acme-tls/1";
const usualProtocol = "http/1.1";

/** Returns the options of an HTTPS server that answers open challenges (TLS-ALPN-01, RFC 8737). Handshakes of other protocols keep their certificate. */
export function tlsChallengeOptions(challenges: Pick<OpenChallenges, "seen">): ServerOptions {
  return {
    ALPNCallback(this: TLSSocket, { servername, protocols }) {
      if (!protocols.includes(challengeProtocol)) return protocols.find((one) => one === usualProtocol);
      const name = servername.toLowerCase();
      const keyAuthorization = challenges.seen.get(name);
      if (keyAuthorization === undefined) return undefined;
      this.setKeyCert(createSecureContext(challengeCertificate(name, { keyAuthorization, now: Date.now() })));
      return challengeProtocol;
    },
  };
}
