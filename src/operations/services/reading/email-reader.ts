import { unobservedTasks } from "../../../core/background-tasks.ts";
import { workerUrl } from "../../../core/worker.ts";
import { type WorkerKind, WorkerRpc, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";
import { batchReaderCountFor, BatchReaders, type BatchReadersOptions } from "./batch-readers.ts";
import type { EmailContent, EmailReader } from "./email-bodies.ts";
import { tryToReadCheapEmail } from "./read-email.ts";
import { isCheapWithFewParts } from "./reading-cost.ts";

/** Bytes that are parsed without yielding to the event loop: at most some ten milliseconds. */
const turnBytesMax = 1024 * 1024;
/**
 * Turns of the event loop that a batch waits for further mails after a batch of several, and the size of a full batch. An
 * empty turn takes some ten microseconds; all of them together take less than a commit.
 */
const patienceTurns = 16;
const enoughCount = 24;

/** Reads a batch elsewhere; returns null when that is not possible now. */
type ReadApart<Content> = (raws: readonly Uint8Array[]) => Promise<readonly Content[]> | null;

interface Waiting<Content> {
  readonly raw: Uint8Array;
  readonly resolve: (content: Content) => void;
}

/**
 * Parses concurrent mails in batches, in order of arrival: a single mail in the next turn of the event loop, several some
 * turns later. The processor's caches then still contain the code and tables for the next mail, and for the later steps:
 * without it a mail takes 15 to 35 % more CPU (docs/reference/performance.md).
 */
export class ReadingTurns<Content> {
  readonly #read: (raw: Uint8Array) => Content;
  readonly #readApart: ReadApart<Content>;
  #waiting: Waiting<Content>[] = [];
  /** Whether the last batch had more than one mail. */
  #isCrowded = false;

  /** `read` must not throw. `readApart` gets batches of several mails first; those for which it rejects are read again. */
  constructor(read: (raw: Uint8Array) => Content, readApart: ReadApart<Content> = () => null) {
    this.#read = read;
    this.#readApart = readApart;
  }

  /** Resolves with the parsed mail. */
  async read(raw: Uint8Array): Promise<Content> {
    return new Promise((resolve) => {
      this.#waiting.push({ raw, resolve });
      if (this.#waiting.length === 1) this.#wake(this.#isCrowded ? patienceTurns : 0);
    });
  }

  #wake(patience: number): void {
    setImmediate(() => {
      if (patience > 0 && this.#waiting.length < enoughCount) this.#wake(patience - 1);
      else this.#take();
    });
  }

  #take(): void {
    let [count, bytes] = [0, 0];
    for (; count < this.#waiting.length && bytes < turnBytesMax; count += 1) {
      bytes += this.#waiting[count]?.raw.byteLength ?? 0;
    }
    const turn = this.#waiting;
    this.#waiting = turn.splice(count);
    this.#isCrowded = count > 1;
    const apart = count > 1 ? this.#readApart(turn.map(({ raw }) => raw)) : null;
    if (apart === null) this.#readHere(turn);
    else void this.#settle(turn, apart);
    if (this.#waiting.length > 0) this.#wake(0);
  }

  async #settle(turn: readonly Waiting<Content>[], apart: Promise<readonly Content[]>): Promise<void> {
    let contents: readonly Content[];
    try {
      contents = await apart;
    } catch {
      // Reported by the RPC of the readers.
      this.#readHere(turn);
      return;
    }
    for (const [position, { raw, resolve }] of turn.entries()) resolve(contents[position] ?? this.#read(raw));
  }

  #readHere(turn: readonly Waiting<Content>[]): void {
    for (const { raw, resolve } of turn) resolve(this.#read(raw));
  }
}

const shared = {
  file: workerUrl(import.meta.url, "read-email-worker"),
  // SMTP and HTTP admit fewer mails at the same time.
  waitingCountMax: 10_000,
  waitingPerKeyCountMax: 10_000,
} as const;

/** Parses large mails when they arrive. */
export const mailReader: WorkerKind = {
  ...shared,
  task: "mail_reader",
  degrades: "large mails arrive without subject, text and attachments until they are read again",
  memory: { heapMegabytesMax: 768, buffersMegabytesMax: 512 },
  callMsMax: 30_000,
};

/** Parses mails again that could not be parsed when they arrived. */
export const mailReparser: WorkerKind = {
  ...shared,
  task: "mail_reparser",
  memory: { heapMegabytesMax: 2048, buffersMegabytesMax: 1024 },
  callMsMax: 10 * 60_000,
};

/** Parser of mails with its workers. */
export interface EmailReading {
  /** Parses a mail; returns {@link unreadable} when parsing fails or takes longer than 30 s. */
  readonly read: EmailReader;
  /** Parses a mail in another process with higher limits; rejects with `WorkerCallFailed` when that fails too. */
  readonly reparse: (raw: Uint8Array) => Promise<EmailContent>;
  close(): Promise<void>;
}

/** Options of {@link createEmailReading}. */
export interface EmailReadingOptions extends Omit<BatchReadersOptions, "readerCount"> {
  readonly room?: WorkerRpcOptions["room"];
  /** Processes for batches of cheap mails; as many as there are cores for by default. */
  readonly batchReaderCount?: number;
}

/**
 * Parses cheap mails on this thread or in the processes of {@link BatchReaders}, in batches, and others in a worker process that
 * starts with the first of them. Only the mail that fails is unreadable; `store-messages.ts` retries it.
 */
export function createEmailReading(options: EmailReadingOptions): EmailReading {
  const { batchReaderCount = batchReaderCountFor(), ...rest } = options;
  const { limits } = rest;
  const readers = openReaders(rest);
  const batches = batchReaderCount === 0 ? null : new BatchReaders({ ...rest, readerCount: batchReaderCount });
  const turns = new ReadingTurns(
    (raw) => tryToReadCheapEmail(raw, limits),
    (raws) => batches?.read(raws) ?? null,
  );
  const readElsewhere = async (raw: Uint8Array, key: string): Promise<EmailContent> => {
    try {
      return await readers.arriving.call(raw, { key });
    } catch (error) {
      if (error instanceof WorkerCallFailed) return unreadable;
      throw error;
    }
  };
  return {
    async read(raw, key = "") {
      const content = isCheapWithFewParts(raw) ? await turns.read(raw) : null;
      return content ?? (await readElsewhere(raw, key));
    },
    reparse: (raw) => readers.again.call(raw, { key: "" }),
    async close() {
      await Promise.all([readers.arriving.close(), readers.again.close(), batches?.close()]);
    },
  };
}

type Reader = WorkerRpc<Uint8Array, EmailContent>;

function openReaders({ limits, ...rest }: EmailReadingOptions): Readonly<Record<"arriving" | "again", Reader>> {
  const options = { ...rest, workerData: limits };
  return {
    arriving: new WorkerRpc({ ...mailReader, ...options }),
    // The loop in `app/reparse-loop.ts` reports.
    again: new WorkerRpc({ ...mailReparser, ...options, tasks: unobservedTasks }),
  };
}

/** Content of a mail that could not be parsed. */
export const unreadable: EmailContent = {
  headers: [],
  subject: "",
  from: [],
  to: [],
  cc: [],
  bcc: [],
  bodies: null,
  htmlParts: [],
  textParts: [],
  codes: [],
  attachments: [],
  summary: "",
  searchBody: [],
  defects: ["unreadable"],
};
