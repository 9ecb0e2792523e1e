/** How long mail takes: from whole to committed, from there to whoever waits for it, and to the first list that has it. */
import type { MessageId, ServerId } from "../../../core/ids.ts";

/** What the time of one step ran to: commit, the first waiting search or event stream that was told, the first list. */
export type TimingStep = "stored" | "told" | "listed";

/** One mail's times, in milliseconds with a fraction. */
export interface Timing {
  readonly id: MessageId;
  /** From its last byte to its commit: when this is over, the sender gets 250 and every read shows the mail. */
  readonly storedMs: number;
  /** From the commit until the first waiting search had its answer or the first event stream its event; null: none yet. */
  readonly toldMs: number | null;
  /** From the commit until the first plain list that has it was read; null: none yet. */
  readonly listedMs: number | null;
}

/** A mail that was just committed. */
export interface StoredMail {
  readonly id: MessageId;
  readonly server: ServerId;
  /** Number of its change. */
  readonly sequence: number;
  /** {@link Timings.now} when its last byte was there. */
  readonly wholeAt: number;
}

/** The times of the newest mails, in memory only; every method returns at once. */
export interface Timings {
  /** Milliseconds since some instant, with a fraction, never backwards. */
  readonly now: () => number;
  readonly stored: (mail: StoredMail) => void;
  /** Somebody who waits has the change of this number. */
  readonly told: (server: ServerId, sequence: number) => void;
  /** Somebody has a list that misses nothing up to this number. */
  readonly listed: (server: ServerId, cursor: number) => void;
  /** The server's newest mails that this process took, oldest first, at most {@link timedMailCountMax}. */
  readonly newest: (server: ServerId) => readonly Timing[];
}

/** Where the times are counted beside. */
export type TimingObserver = (step: TimingStep, durationMs: number) => void;

interface TimedMail {
  readonly id: MessageId;
  readonly sequence: number;
  readonly committedAt: number;
  readonly storedMs: number;
  toldMs: number | null;
  listedMs: number | null;
}

/** Mails of one server whose times are remembered. */
export const timedMailCountMax = 200;
/** Servers whose times are remembered: those that got mail last. */
export const timedServerCountMax = 200;

/** No times yet. `now` counts milliseconds. */
export function createTimings(
  observe: TimingObserver = () => undefined,
  now: () => number = () => performance.now(),
): Timings {
  const servers = new Map<ServerId, TimedMail[]>();
  const note = (mail: TimedMail, step: "told" | "listed"): void => {
    const key = `${step}Ms` as const;
    mail[key] = now() - mail.committedAt;
    observe(step, mail[key]);
  };
  return {
    now,
    stored: ({ id, server, sequence, wholeAt }) => {
      const committedAt = now();
      const storedMs = committedAt - wholeAt;
      observe("stored", storedMs);
      const mails = servers.get(server) ?? [];
      mails.push({ id, sequence, committedAt, storedMs, toldMs: null, listedMs: null });
      if (mails.length > timedMailCountMax) mails.shift();
      // Maps remember the order of insertion: the server that got mail last goes to the end.
      servers.delete(server);
      servers.set(server, mails);
      const [quietest] = servers.keys();
      if (servers.size > timedServerCountMax && quietest !== undefined) servers.delete(quietest);
    },
    told: (server, sequence) => {
      const mail = servers.get(server)?.findLast((one) => one.sequence === sequence);
      if (mail?.toldMs === null) note(mail, "told");
    },
    listed: (server, cursor) => {
      const mails = servers.get(server) ?? [];
      for (let at = mails.length - 1; at >= 0; at -= 1) {
        const mail = mails[at];
        if (mail === undefined || mail.listedMs !== null) return;
        if (mail.sequence <= cursor) note(mail, "listed");
      }
    },
    newest: (server) => {
      const mails = servers.get(server) ?? [];
      return mails.map(({ id, storedMs, toldMs, listedMs }) => ({ id, storedMs, toldMs, listedMs }));
    },
  };
}
