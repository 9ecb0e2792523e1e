/** Latency of mails: from the last byte to the commit, and from there to the first waiter. */
import type { MessageId, ServerId } from "../../../core/ids.ts";

/** End of a measured step: commit, first notified waiting search or event stream. */
export type TimingStep = "stored" | "told";

/** Latencies of one mail, in milliseconds with a fraction. */
export interface Timing {
  readonly id: MessageId;
  /** From the last byte to the commit, after which the sender gets 250 and every read returns the mail. */
  readonly storedMs: number;
  /** From the commit to the first response of a waiting search or event of a stream; null: none yet. */
  readonly toldMs: number | null;
}

/** Mail that was just committed. */
export interface StoredMail {
  readonly id: MessageId;
  readonly server: ServerId;
  /** Sequence number of its change. */
  readonly sequence: number;
  /** {@link Timings.now} at its last byte. */
  readonly wholeAt: number;
}

/** Latencies of the newest mails, in memory only; every method returns at once. */
export interface Timings {
  /** Returns monotonic milliseconds with a fraction. */
  readonly now: () => number;
  readonly stored: (mail: StoredMail) => void;
  /** Records that a waiter has received the change with this sequence number. */
  readonly notified: (server: ServerId, sequence: number) => void;
  /** Returns the server's newest mails received by this process, oldest first, at most {@link timedMailCountMax}. */
  readonly newest: (server: ServerId) => readonly Timing[];
}

/** Receives every latency, for metrics. */
export type TimingObserver = (step: TimingStep, durationMs: number) => void;

interface TimedMail {
  readonly id: MessageId;
  readonly sequence: number;
  readonly committedAt: number;
  readonly storedMs: number;
  toldMs: number | null;
}

/** Recorded mails per server. */
export const timedMailCountMax = 200;
/** Recorded servers; the one without mail for longest is evicted first. */
export const timedServerCountMax = 200;

/** Creates an empty record. `now` returns monotonic milliseconds. */
export function createTimings(
  observe: TimingObserver = () => undefined,
  now: () => number = () => performance.now(),
): Timings {
  const servers = new Map<ServerId, TimedMail[]>();
  return {
    now,
    stored: ({ id, server, sequence, wholeAt }) => {
      const committedAt = now();
      const storedMs = committedAt - wholeAt;
      observe("stored", storedMs);
      const mails = servers.get(server) ?? [];
      mails.push({ id, sequence, committedAt, storedMs, toldMs: null });
      if (mails.length > timedMailCountMax) mails.shift();
      // Moves the server to the end of the insertion order.
      servers.delete(server);
      servers.set(server, mails);
      if (servers.size <= timedServerCountMax) return;
      const [quietest] = servers.keys();
      if (quietest !== undefined) servers.delete(quietest);
    },
    notified: (server, sequence) => {
      const mail = servers.get(server)?.findLast((one) => one.sequence === sequence);
      if (mail?.toldMs !== null) return;
      mail.toldMs = now() - mail.committedAt;
      observe("told", mail.toldMs);
    },
    newest: (server) => {
      const mails = servers.get(server) ?? [];
      return mails.map(({ id, storedMs, toldMs }) => ({ id, storedMs, toldMs }));
    },
  };
}
