import { unobservedTasks, type BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { workerUrl } from "../../../core/worker-url.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { handOver, movableCopy } from "../../../workers/hand-over.ts";
import { WorkerRpc, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";
import type { EmailContent, EmailReader } from "./email-content.ts";
import { readCheapEmail } from "./read-email.ts";
import { isCheapWithFewParts } from "./reading-cost.ts";
import { ReadingTurns } from "./reading-turns.ts";

/** Time-out of parsing a received mail in milliseconds. */
const readMsMax = 30_000;
/** Heap limit of the thread that parses received mails. */
const readHeapMegabytesMax = 768;
/** Time-out of a retry in milliseconds. */
const reparseMsMax = 10 * 60_000;
const reparseHeapMegabytesMax = 2048;
/** Young generation as large as that of the main thread; by default, it would keep 34 MB after the first mails. */
const maxYoungGenerationSizeMb = 24;
/** Waiting mails. SMTP and HTTP admit fewer at the same time. */
const waitingCountMax = 10_000;

/** Parser of mails with its worker threads. */
export interface EmailReading {
  /** Parses a mail; returns {@link unreadable} when parsing fails or takes longer than 30 s. */
  readonly read: EmailReader;
  /** Parses a mail on another thread with higher limits; rejects with `WorkerCallFailed` when that fails too. */
  readonly reparse: (raw: Uint8Array) => Promise<EmailContent>;
  close(): Promise<void>;
}

/** Options of {@link createEmailReading}. */
export interface EmailReadingOptions {
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
  /** For tests. */
  readonly openThread?: WorkerRpcOptions["openThread"] | undefined;
}

/**
 * Parses cheap mails on this thread, in batches, and others on a worker thread that starts with the first of them. Only the
 * mail that fails is unreadable; `reparse-mails.ts` retries it.
 */
export function createEmailReading(options: EmailReadingOptions): EmailReading {
  const { limits } = options;
  const readers = openReaders(options);
  const turns = new ReadingTurns((raw) => tryToRead(raw, limits));
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
      await Promise.all([readers.arriving.close(), readers.again.close()]);
    },
  };
}

type Reader = WorkerRpc<Uint8Array, EmailContent>;

function openReaders({ limits, ...shared }: EmailReadingOptions): Readonly<Record<"arriving" | "again", Reader>> {
  const worker = { file: workerUrl(import.meta.url, "read-email-worker"), workerData: limits };
  const counts = { waitingCountMax, waitingPerKeyCountMax: waitingCountMax };
  const requests = {
    handOver: (raw: Uint8Array) => {
      const copy = movableCopy(raw);
      return handOver(copy, copy);
    },
  };
  return {
    arriving: new WorkerRpc({
      ...shared,
      ...worker,
      ...counts,
      ...requests,
      task: "mail_reader",
      degrades: "large mails arrive without subject, text and attachments until they are read again",
      resourceLimits: { maxOldGenerationSizeMb: readHeapMegabytesMax, maxYoungGenerationSizeMb },
      callMsMax: readMsMax,
    }),
    again: new WorkerRpc({
      ...shared,
      ...worker,
      ...counts,
      ...requests,
      task: "mail_reparser",
      // The loop in `app/reparse-loop.ts` reports.
      tasks: unobservedTasks,
      resourceLimits: { maxOldGenerationSizeMb: reparseHeapMegabytesMax, maxYoungGenerationSizeMb },
      callMsMax: reparseMsMax,
    }),
  };
}

/** Returns null when parsing throws, which is a bug that the worker then reports, and for a mail whose codes are not cheap. */
function tryToRead(raw: Uint8Array, limits: MimeLimits): EmailContent | null {
  try {
    return readCheapEmail(raw, limits);
  } catch {
    // Harmless: the worker thread parses the mail again and reports the exception.
    return null;
  }
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
