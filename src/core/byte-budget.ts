/** Budgets of memory, and their fair sharing between keys. */
import type { Clock } from "./clock.ts";
import { Problem } from "./errors.ts";

/** Counter of bytes in use that never exceeds its limit. */
export class ByteBudget {
  readonly #bytesMax: number;
  readonly #bytesPerKeyMax: number;
  readonly #onChange: (isExhausted: boolean) => void;
  /** Bytes that holds of each key have taken. */
  readonly #keys = new Map<string, number>();
  #bytesUsed = 0;
  #isExhausted = false;

  /**
   * `onChange` is called when bytes are refused for the first time, and when half of the budget is free again.
   * `bytesPerKeyMax` bounds the holds of one key together; by default only the budget does.
   */
  constructor(
    bytesMax: number,
    onChange: (isExhausted: boolean) => void = () => undefined,
    bytesPerKeyMax: number = bytesMax,
  ) {
    this.#bytesMax = bytesMax;
    this.#onChange = onChange;
    this.#bytesPerKeyMax = bytesPerKeyMax;
  }

  /** Bytes taken and not returned. */
  get bytesUsed(): number {
    return this.#bytesUsed;
  }

  /** Takes `bytes`, or takes nothing and returns false when the limit would be exceeded. */
  take(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#bytesUsed += bytes;
    return true;
  }

  /** Whether `bytes` can be taken now; false counts as a refusal. */
  hasRoom(bytes: number): boolean {
    if (this.#bytesUsed + bytes <= this.#bytesMax) return true;
    if (!this.#isExhausted) this.#onChange(true);
    this.#isExhausted = true;
    return false;
  }

  /** Returns bytes to the budget. */
  give(bytes: number): void {
    this.#bytesUsed -= bytes;
    if (!this.#isExhausted || this.#bytesUsed > this.#bytesMax / 2) return;
    this.#isExhausted = false;
    this.#onChange(false);
  }

  /** Opens a hold, which collects what one piece of work takes for a key and releases it at once. */
  hold(key = ""): ByteHold {
    let held = 0;
    return {
      take: (bytes) => {
        const keyBytes = (this.#keys.get(key) ?? 0) + bytes;
        if (keyBytes > this.#bytesPerKeyMax || !this.take(bytes)) return false;
        this.#keys.set(key, keyBytes);
        held += bytes;
        return true;
      },
      release: () => {
        if (held === 0) return;
        this.give(held);
        const keyBytes = (this.#keys.get(key) ?? 0) - held;
        if (keyBytes > 0) this.#keys.set(key, keyBytes);
        else this.#keys.delete(key);
        held = 0;
      },
    };
  }
}

/** Bytes that one piece of work has taken from a {@link ByteBudget}. */
export interface ByteHold {
  /** As {@link ByteBudget.take}. */
  take(bytes: number): boolean;
  /** Returns all bytes; idempotent. */
  release(): void;
}

/** Bounds of {@link ByteReservations}. */
export interface ReservationLimits {
  /** Bytes that are reserved at the same time; a single reservation may exceed it when nothing else is reserved. */
  readonly bytesMax: number;
  /** Bytes of one key; a single reservation may exceed it when the key has no other. */
  readonly bytesPerKeyMax: number;
  /** Reservations of one key that wait; one more is rejected with `too_many_requests`. */
  readonly waitingPerKeyCountMax: number;
}

/** Bytes taken from the budget until they are released. */
export interface Reservation {
  /** Changes the size, without waiting: memory that is in use is counted even past the budget. */
  resize(bytes: number): void;
  /** Returns all bytes; idempotent. */
  release(): void;
}

/** Request for a reservation. */
export interface ReservationRequest {
  readonly key: string;
  readonly bytes: number;
  /** Longest wait in milliseconds; without it only the signal ends the wait. */
  readonly waitMsMax?: number;
  /** Aborts the wait when the caller disconnects. */
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly request: ReservationRequest;
  readonly grant: () => void;
}

const retryAfterSeconds = 1;

/** Grants reservations first in, first out, and skips keys that hold their share. */
export class ByteReservations {
  readonly #limits: ReservationLimits;
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Set<Waiting>();
  /** Reserved bytes of each key that has any. */
  readonly #keys = new Map<string, number>();
  readonly #onChange: (isExhausted: boolean) => void;
  #bytesReserved = 0;
  #isExhausted = false;

  /** `onChange` is called when a reservation is rejected for the first time, and when half of the budget is free again. */
  constructor(
    limits: ReservationLimits,
    clock: Pick<Clock, "after">,
    onChange: (isExhausted: boolean) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Bytes reserved by all keys. */
  get bytesReserved(): number {
    return this.#bytesReserved;
  }

  /** Number of reservations that wait. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when the bytes are free. Rejects with `too_many_requests` when the wait ends while the key
   * holds its share, with `unavailable` when it ends while the budget is exhausted, with the signal's reason when it aborts.
   */
  async reserve(request: ReservationRequest): Promise<Reservation> {
    request.signal?.throwIfAborted();
    const mustWait = this.#waiting.size > 0 || !this.#fits(request);
    if (mustWait) await this.#wait(request);
    else this.#add(request.key, request.bytes);
    return this.#reservation(request);
  }

  #wait(request: ReservationRequest): Promise<void> {
    const { key, signal, waitMsMax } = request;
    let sameKeyCount = 0;
    for (const other of this.#waiting) if (other.request.key === key) sameKeyCount += 1;
    if (sameKeyCount >= this.#limits.waitingPerKeyCountMax) {
      this.#setExhausted();
      throw tooMany();
    }
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        if (!this.#waiting.delete(waiting)) return;
        stop();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller chose the reason
        reject(reason);
        this.#grantNext();
      };
      const abort = (): void => {
        leave(signal?.reason);
      };
      const cancelAlarm =
        waitMsMax === undefined
          ? undefined
          : this.#clock.after(waitMsMax, () => {
              this.#setExhausted();
              leave(this.#fitsKey(request) ? new Problem("unavailable", { retryAfterSeconds }) : tooMany());
            });
      const stop = (): void => {
        cancelAlarm?.();
        signal?.removeEventListener("abort", abort);
      };
      const waiting: Waiting = {
        request,
        grant: () => {
          stop();
          resolve();
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiting.add(waiting);
      this.#grantNext();
    });
  }

  #reservation({ key, bytes }: ReservationRequest): Reservation {
    let held = bytes;
    const resize = (size: number): void => {
      this.#add(key, size - held);
      const isLess = size < held;
      held = size;
      if (isLess) this.#grantNext();
    };
    return {
      resize,
      release: () => {
        resize(0);
      },
    };
  }

  #setExhausted(): void {
    if (!this.#isExhausted) this.#onChange(true);
    this.#isExhausted = true;
  }

  #grantNext(): void {
    if (this.#isExhausted && this.#waiting.size === 0 && this.#bytesReserved <= this.#limits.bytesMax / 2) {
      this.#isExhausted = false;
      this.#onChange(false);
    }
    for (const waiting of this.#waiting) {
      const { request } = waiting;
      if (!this.#fitsKey(request)) continue;
      // Later requests wait too, so that small ones do not starve a large one.
      if (!this.#fits(request)) return;
      this.#waiting.delete(waiting);
      this.#add(request.key, request.bytes);
      waiting.grant();
    }
  }

  #fits(request: ReservationRequest): boolean {
    const isAlone = this.#bytesReserved === 0;
    return this.#fitsKey(request) && (isAlone || this.#bytesReserved + request.bytes <= this.#limits.bytesMax);
  }

  #fitsKey({ key, bytes }: ReservationRequest): boolean {
    const held = this.#keys.get(key) ?? 0;
    return held === 0 || held + bytes <= this.#limits.bytesPerKeyMax;
  }

  #add(key: string, bytes: number): void {
    this.#bytesReserved += bytes;
    const held = (this.#keys.get(key) ?? 0) + bytes;
    if (held > 0) this.#keys.set(key, held);
    else this.#keys.delete(key);
  }
}

function tooMany(): Problem {
  const text = "Too many large requests of this key are under way; retry later";
  return new Problem("too_many_requests", { text, retryAfterSeconds });
}
