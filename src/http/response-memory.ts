/** Memory budget of responses under way. */
import { ByteReservations, type Reservation } from "../core/byte-budget.ts";
import type { Clock } from "../core/clock.ts";
import { unobservedMemory, type MemoryObserver } from "../core/process-resources.ts";
import type { Limits } from "../core/limits.ts";
import { RequestAborted } from "./read-body.ts";

/** Largest response that is not counted: connection limits bound the sum of these. */
export const smallResponseBytesMax: number = 64 * 1024;
/**
 * Memory of a download that is read from the store while it is written: one chunk on its way in, one on its way out.
 */
export const streamedBytes: number = 1.5 * 1024 * 1024;
/** Longest wait for memory before the first byte of a response, in milliseconds. */
const waitMsMax = 10_000;
/** Large responses of one key that may wait for memory; one more is rejected with 429. */
const waitingPerKeyCountMax = 200;

/** Memory reserved for one response. */
export interface ResponseMemory {
  /**
   * Waits until `bytes` are reserved for this response; returns at once when as many are reserved already. Rejects with
   * `too_many_requests` or `unavailable` after 10 seconds; never when `isStarted` is true, since a response that has
   * started is finished late rather than cut off.
   */
  reserve(bytes: number, isStarted?: boolean): Promise<void>;
  /** Corrects the reserved size without waiting. */
  resize(bytes: number): void;
  /** Releases the whole reservation. */
  release(): void;
}

/** Client that a response is for. */
export interface ResponseCaller {
  /** Returns the id of the key, or the address of a client without one. */
  readonly key: () => string;
  /** Aborts when the client has disconnected. */
  readonly signal: () => AbortSignal;
}

/** Opens the reservation of one response. */
export type OpenResponseMemory = (caller: ResponseCaller) => ResponseMemory;

/** Returns reservations that share `answerBytesInFlightMax`, of which one key gets at most half. */
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
  return ({ key, signal }) => {
    let reservation: Reservation | undefined;
    let reservedBytes = 0;
    const resize = (bytes: number): void => {
      reservation?.resize(bytes);
      reservedBytes = bytes;
    };
    return {
      reserve: async (bytes, isStarted = false) => {
        if (bytes <= reservedBytes) return;
        if (reservation !== undefined && reservedBytes > 0) {
          resize(bytes);
          return;
        }
        const disconnected = signal();
        try {
          reservation = await budget.reserve({
            key: key(),
            bytes,
            signal: disconnected,
            ...(!isStarted && { waitMsMax }),
          });
        } catch (error) {
          throw disconnected.aborted ? new RequestAborted() : error;
        }
        reservedBytes = bytes;
      },
      resize,
      release: () => {
        resize(0);
      },
    };
  };
}
