import { ByteReservations } from "../../../core/byte-reservations.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Limits } from "../../../core/limits.ts";
import { mailWorkBytesPerByte } from "../../../core/memory-limits.ts";

/** Mails up to this size are parsed and stored without waiting. */
export const admittedBytesMin: number = 256 * 1024;
/** Longest wait of SMTP in milliseconds; senders wait at least 10 minutes for the reply to their mail (RFC 5321 §4.5.3.2.6). */
const smtpWaitMsMax = 120_000;
/** More than the sessions of a listener. */
const waitingPerKeyCountMax = 100_000;

/** Limits the memory of large mails that are parsed and stored concurrently. */
export interface MailAdmission {
  /**
   * Resolves when a mail of `sizeBytes` may be parsed, with a function that releases its memory; returns null for a small
   * mail. `key` is the server: none gets more than half while others wait. Rejects after `waitMsMax` (two minutes by
   * default, for SMTP): with `too_many_requests` when the key holds its share, else with `unavailable`.
   */
  readonly admit: (sizeBytes: number, key: string, waitMsMax?: number) => Promise<() => void> | null;
  /** Returns the estimated memory of admitted mails in bytes. */
  readonly bytesReserved: () => number;
  /** Returns the number of waiting mails. */
  readonly waitingCount: () => number;
}

/** Called when mails start or stop waiting. */
export type AdmissionObserver = (change: "waiting" | "flowing") => void;

/** Creates the admission. */
export function createMailAdmission(
  { mailWorkBytesMax }: Pick<Limits, "mailWorkBytesMax">,
  clock: Pick<Clock, "after">,
  observe: AdmissionObserver = () => undefined,
): MailAdmission {
  const budget = new ByteReservations(
    { bytesMax: mailWorkBytesMax, bytesPerKeyMax: mailWorkBytesMax / 2, waitingPerKeyCountMax },
    clock,
  );
  let isWaiting = false;
  const look = (): void => {
    if (budget.waitingCount > 0 === isWaiting) return;
    isWaiting = !isWaiting;
    observe(isWaiting ? "waiting" : "flowing");
  };
  const reserve = async (bytes: number, key: string, waitMsMax: number): Promise<() => void> => {
    const reserving = budget.reserve({ key, bytes, waitMsMax });
    look();
    try {
      const reservation = await reserving;
      return () => {
        reservation.release();
        look();
      };
    } finally {
      look();
    }
  };
  return {
    admit: (sizeBytes, key, waitMsMax = smtpWaitMsMax) =>
      sizeBytes <= admittedBytesMin ? null : reserve(mailWorkBytesPerByte * sizeBytes, key, waitMsMax),
    bytesReserved: () => budget.bytesReserved,
    waitingCount: () => budget.waitingCount,
  };
}
