import { ByteReservations } from "../../../core/byte-reservations.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Limits } from "../../../core/limits.ts";

/** Mails up to this size are read and stored without waiting. */
export const admittedBytesMin: number = 256 * 1024;
/**
 * Memory that a mail takes while it is read and stored, per byte: the bytes as received, their copy on the reading thread,
 * decoded texts, the record, the copy on the writing thread and its compressed form.
 */
const costPerByte = 5;
/** Longest wait; senders wait at least 10 minutes for the reply to their mail (RFC 5321 §4.5.3.2.6). */
const smtpWaitMsMax = 120_000;
/** More than any listener has sessions of one server. */
const waitingPerKeyCountMax = 100_000;

/** Bounds the memory of large mails that are read and stored at the same time. */
export interface MailAdmission {
  /**
   * Resolves when a mail of so many bytes may be read, with the function that ends it; null at once for a small mail.
   * `waitMsMax` is two minutes by default, for SMTP.
   * `key` names the server: none gets more than half while others wait. Rejects with `unavailable` after that, and
   * with `too_many_requests` where the key's own mails are in the way.
   */
  readonly admit: (sizeBytes: number, key: string, waitMsMax?: number) => Promise<() => void> | null;
  /** Returns the bytes that admitted mails take. */
  readonly bytesReserved: () => number;
  /** Number of mails that wait. */
  readonly waitingCount: () => number;
}

/** Called when mails begin and cease to wait. */
export type AdmissionObserver = (change: "waiting" | "flowing") => void;

/** Nothing admitted yet. */
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
      sizeBytes <= admittedBytesMin ? null : reserve(costPerByte * sizeBytes, key, waitMsMax),
    bytesReserved: () => budget.bytesReserved,
    waitingCount: () => budget.waitingCount,
  };
}
