/** Parsing of cheap mails by worker processes, on machines with cores for them. */
import { availableParallelism } from "node:os";
import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { workerUrl } from "../../../core/worker.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { type WorkerKind, WorkerRpc, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import type { EmailContent } from "./email-bodies.ts";

/** Mails that are parsed by one call. */
export interface MailBatch {
  /** All mails, one after the other. */
  readonly bytes: Uint8Array;
  /** Size of each mail in bytes. */
  readonly sizes: readonly number[];
}

/** Returns the mails of a batch; they share its memory. */
export function mailsOf({ bytes, sizes }: MailBatch): readonly Uint8Array[] {
  let end = 0;
  return sizes.map((size) => bytes.subarray(end, (end += size)));
}

/** Parses batches of cheap mails. */
export const batchReader: WorkerKind = {
  file: workerUrl(import.meta.url, "read-batch-worker"),
  task: "mail_batch_reader",
  memory: { heapMegabytesMax: 256, buffersMegabytesMax: 256 },
  callMsMax: 10_000,
  waitingPerKeyCountMax: 10,
  waitingCountMax: 10,
};

/** Cores from which on processes parse cheap mails: the main thread and the writer keep two busy. */
const coreCountMin = 4;
/** More would wait for the main thread, which receives and stores the mails. */
const readerCount = 2;
/** Milliseconds without a batch after which readers may have exited, and are started before they get one. */
const warmMs = 50_000;

/** Returns how many processes parse cheap mails on a machine with so many cores: none with fewer than four. */
export function batchReaderCountFor(coreCount: number = availableParallelism()): number {
  return coreCount < coreCountMin ? 0 : readerCount;
}

/** Options of {@link BatchReaders}. */
export interface BatchReadersOptions {
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
  readonly readerCount: number;
  /** For tests. */
  readonly openWorker?: WorkerRpcOptions["openWorker"];
}

/** Processes that parse batches of mails beside the main thread, which parses those that they have no time for. */
export class BatchReaders {
  readonly #rpc: WorkerRpc<MailBatch, readonly (EmailContent | null)[]>;
  readonly #readerCount: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #batchCount = 0;
  /** Batches that are parsed or wait. */
  #openCount = 0;
  #isStarting = false;
  #warmUntil = -Infinity;

  constructor({ limits, readerCount, ...options }: BatchReadersOptions) {
    this.#clock = options.clock;
    this.#readerCount = readerCount;
    this.#rpc = new WorkerRpc({ ...batchReader, ...options, workerCount: readerCount, workerData: limits });
  }

  /**
   * Parses mails; returns null when the processes have not started, which this causes, or when one batch for each of them waits
   * already. The content of a mail that is not cheap after all is null. Rejects when a process fails.
   */
  read(raws: readonly Uint8Array[]): Promise<readonly (EmailContent | null)[]> | null {
    if (this.#clock.monotonicMs() > this.#warmUntil) {
      void this.#start();
      return null;
    }
    if (this.#openCount >= 2 * this.#readerCount) return null;
    return this.#call({ bytes: Buffer.concat(raws), sizes: raws.map(({ byteLength }) => byteLength) });
  }

  /** Terminates the processes. */
  async close(): Promise<void> {
    await this.#rpc.close();
  }

  async #start(): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    const none = { bytes: new Uint8Array(0), sizes: [] };
    try {
      await Promise.all(Array.from({ length: this.#readerCount }, () => this.#call(none)));
    } catch {
      // Reported by the RPC; the main thread parses meanwhile, and the next batch tries again.
    } finally {
      this.#isStarting = false;
    }
  }

  async #call(batch: MailBatch): Promise<readonly (EmailContent | null)[]> {
    this.#openCount += 1;
    this.#batchCount += 1;
    try {
      // A key for each: calls of one that has ended processes would have to wait.
      const contents = await this.#rpc.call(batch, { key: String(this.#batchCount) });
      this.#warmUntil = this.#clock.monotonicMs() + warmMs;
      return contents;
    } catch (error) {
      this.#warmUntil = -Infinity;
      throw error;
    } finally {
      this.#openCount -= 1;
    }
  }
}
