/** Memory that the answers under way may take. */
import { ByteReservations, type Reservation } from "../core/byte-reservations.ts";
import type { Clock } from "../core/clock.ts";
import { unobservedMemory, type MemoryObserver } from "../core/memory-observer.ts";
import type { Limits } from "../core/limits.ts";
import { RequestAborted } from "./read-body.ts";

/** Answers up to this size are not counted: the limits of connections bound them. */
export const smallResponseBytesMax: number = 64 * 1024;
/** Memory of a download that is read from the store while it is written: a chunk on its way in, one on its way out. */
export const streamedBytes: number = 1.5 * 1024 * 1024;
/** Longest wait for memory before the first byte of an answer. */
const waitMsMax = 10_000;
/** Large answers of one key that wait for memory; one more is refused with 429. */
const waitingPerKeyCountMax = 200;

/** Memory of one answer. */
export interface ResponseMemory {
  /**
   * Waits until `bytes` may be held for this answer; nothing happens when so many are held already. Rejects with
   * `too_many_requests` or `unavailable` after 10 seconds, or never where `isStarted` says that the answer has begun: its
   * caller is served late then, not cut off.
   */
  reserve(bytes: number, isStarted?: boolean): Promise<void>;
  /** Corrects the size, without waiting. */
  resize(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}

/** Who an answer is for. */
export interface ResponseCaller {
  /** Names the key, or the address of a caller without one. */
  readonly key: () => string;
  /** Aborts when the caller has gone. */
  readonly gone: () => AbortSignal;
}

/** Opens the room of one answer. */
export type OpenResponseMemory = (caller: ResponseCaller) => ResponseMemory;

/** Rooms that share `answerBytesInFlightMax`, of which one key gets half. */
export function createResponseMemory(
  { answerBytesInFlightMax }: Limits,
  clock: Pick<Clock, "after">,
  memory: MemoryObserver = unobservedMemory,
): OpenResponseMemory {
  const bytesPerKeyMax = Math.ceil(answerBytesInFlightMax / 2);
  const budget = new ByteReservations(
    { bytesMax: answerBytesInFlightMax, bytesPerKeyMax, waitingPerKeyCountMax },
    clock,
    (isExhausted) => {
      memory.changed("http_responses", isExhausted);
    },
  );
  memory.watch("http_responses", () => budget.bytesReserved);
  return ({ key, gone }) => {
    let held: Reservation | undefined;
    let heldBytes = 0;
    const resize = (bytes: number): void => {
      held?.resize(bytes);
      heldBytes = bytes;
    };
    return {
      reserve: async (bytes, isStarted = false) => {
        if (bytes <= heldBytes) return;
        if (held !== undefined && heldBytes > 0) {
          resize(bytes);
          return;
        }
        const signal = gone();
        try {
          held = await budget.reserve({ key: key(), bytes, signal, ...(!isStarted && { waitMsMax }) });
        } catch (error) {
          throw signal.aborted ? new RequestAborted() : error;
        }
        heldBytes = bytes;
      },
      resize,
      release: () => {
        resize(0);
      },
    };
  };
}
