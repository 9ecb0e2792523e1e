import { AsyncLocalStorage } from "node:async_hooks";
import { ByteReservations, type Reservation } from "../../../core/byte-budget.ts";
import type { Clock } from "../../../core/clock.ts";
import { collectGarbage, createGarbageCollector } from "../../../core/process-resources.ts";
import type { Limits } from "../../../core/limits.ts";
import { bodyWorkBytesPerByte, mailWorkBytesPerByte } from "../../../core/memory-limits.ts";

/** Mails up to this size are parsed and stored without waiting. */
const admittedBytesMin: number = 256 * 1024;
/** Longest wait of SMTP in milliseconds; senders wait at least 10 minutes for the reply to their mail (RFC 5321 §4.5.3.2.6). */
const smtpWaitMsMax = 120_000;
/** Longest wait of a request of HTTP in milliseconds; clients wait at least as long for a response to a large body. */
export const requestWaitMsMax: number = 30_000;
/** Memory of a mail from which on its garbage is collected: that of a mail of 16 MiB. */
const collectedBytesMin = mailWorkBytesPerByte * 16 * 1024 * 1024;
/** More than the sessions of a listener. */
const waitingPerKeyCountMax = 100_000;

/** Returns the mails that have as many bytes as what is made of a request body: its text, its values, decoded files, a mail. */
export function mailBytesOfBody(bodyBytes: number): number {
  return Math.ceil((bodyBytes * bodyWorkBytesPerByte) / mailWorkBytesPerByte);
}

/** Limits the memory of large mails that are parsed and stored concurrently. */
export interface MailAdmission {
  /**
   * Resolves when a mail of `sizeBytes` may be parsed, with a function that releases its memory; returns null for a small
   * mail. `key` is the server: none gets more than half while others wait. Rejects after `waitMsMax` (two minutes by
   * default, for SMTP): with `too_many_requests` when the key holds its share, else with `unavailable`.
   */
  readonly admit: (sizeBytes: number, key: string, waitMsMax?: number) => Promise<() => void> | null;
  /**
   * Runs `action` as one piece of work, whose mails are charged once: while one is admitted, another one does not wait, and
   * the larger of them counts. Without it, requests that each have a part of the memory would wait for each other.
   */
  readonly asOne: <Result>(action: () => Promise<Result>) => Promise<Result>;
  /** Returns the estimated memory of admitted mails in bytes. */
  readonly bytesReserved: () => number;
  /** Returns the number of waiting mails. */
  readonly waitingCount: () => number;
}

/** Called when mails start or stop waiting. */
type AdmissionObserver = (change: "waiting" | "flowing") => void;

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
  const collectSoon = createGarbageCollector(clock);
  const pieces = new AsyncLocalStorage<PieceOfWork>();
  let isWaiting = false;
  const look = (): void => {
    if (budget.waitingCount > 0 === isWaiting) return;
    isWaiting = !isWaiting;
    observe(isWaiting ? "waiting" : "flowing");
  };
  const reserve = async (bytes: number, key: string, waitMsMax: number): Promise<Reservation> => {
    const reserving = budget.reserve({ key, bytes, waitMsMax });
    look();
    try {
      const reservation = await reserving;
      const resize = (size: number): void => {
        reservation.resize(size);
        look();
      };
      return {
        resize,
        release: () => {
          resize(0);
          if (bytes >= collectedBytesMin) collectSoon();
        },
      };
    } finally {
      look();
    }
  };
  return {
    admit: (sizeBytes, key, waitMsMax = smtpWaitMsMax) => {
      if (sizeBytes <= admittedBytesMin) return null;
      const piece = pieces.getStore() ?? new PieceOfWork();
      const bytes = mailWorkBytesPerByte * sizeBytes;
      return piece.hold(bytes, async () => reserve(bytes, key, waitMsMax));
    },
    asOne: async (action) => pieces.run(new PieceOfWork(), action),
    bytesReserved: () => budget.bytesReserved,
    waitingCount: () => budget.waitingCount,
  };
}

/** Charge that the mails of one piece of work share, until the last of them is released. */
class PieceOfWork {
  #reservation: Reservation | null = null;
  #bytes = 0;
  #holderCount = 0;

  /**
   * Holds the charge, which grows to at least `bytes`; reserves it first unless it is held. Returns a function that releases it.
   * Collects the text and the values of a large body, of which the mail has just been made, before more memory is needed.
   */
  async hold(bytes: number, reserve: () => Promise<Reservation>): Promise<() => void> {
    if (this.#reservation === null) this.#reservation = await reserve();
    else {
      if (bytes > this.#bytes) this.#reservation.resize(bytes);
      if (bytes >= collectedBytesMin) collectGarbage();
    }
    this.#bytes = Math.max(this.#bytes, bytes);
    this.#holderCount += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holderCount -= 1;
      if (this.#holderCount > 0) return;
      this.#reservation?.release();
      this.#reservation = null;
      this.#bytes = 0;
    };
  }
}

/** Memory that an operation reserves before it loads large content. */

/** Memory reservation of one call. */
export interface MemoryReservation {
  /** Resolves when `bytes` are reserved; rejects with a problem when that takes too long. */
  reserve(bytes: number): Promise<void>;
}

/** Content up to this size is loaded without a reservation. */
export const unreservedBytesMax: number = 64 * 1024;

/** Resolves as `making` does, or with null after the time-out. Rejects as `making` does before the time-out. */
export async function within<Made>(
  clock: Pick<Clock, "after">,
  waitMs: number,
  making: Promise<Made>,
): Promise<Made | null> {
  let cancel = (): void => undefined;
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(waitMs, () => resolve(null));
  });
  try {
    return await Promise.race([making, late]);
  } finally {
    cancel();
  }
}
