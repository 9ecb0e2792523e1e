import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.ts";
import { workerUrl } from "../core/worker-url.ts";
import type { MimeLimits } from "../mime/source.ts";
import { readHereBytesMax, type EmailContent, type EmailReader } from "./email-content.ts";
import { readEmail } from "./read-email.ts";
import { ReadingTurns } from "./reading-turns.ts";

/** Longest time that reading one mail may take before the reading is given up. */
const readMsMax = 30_000;

/** What the reading thread is asked and answers; `number` pairs the two. */
export interface ReadRequest {
  readonly number: number;
  readonly raw: Uint8Array;
}
/** The answer to a {@link ReadRequest}. */
export interface ReadAnswer {
  readonly number: number;
  readonly content: EmailContent;
}

/** An email reader that holds a thread while big mails come in. */
export interface EmailReading {
  readonly read: EmailReader;
  close(): Promise<void>;
}

interface Pending {
  readonly settle: (content: EmailContent) => void;
  readonly cancelAlarm: () => void;
}

/**
 * Reads small mails here, those of one moment together, and big ones on a thread that starts with the first of them. When
 * reading fails, crashes or takes longer than 30 s, the mail is described as unreadable, so that it is kept raw and
 * visible all the same.
 */
export function createEmailReading(limits: MimeLimits, clock: Pick<Clock, "after">): EmailReading {
  const turns = new ReadingTurns((raw) => readSafely(raw, limits));
  const pending = new Map<number, Pending>();
  let worker: Worker | null = null;
  let nextNumber = 0;

  const settle = (number: number, content: EmailContent): void => {
    const waiting = pending.get(number);
    pending.delete(number);
    waiting?.cancelAlarm();
    waiting?.settle(content);
  };
  const giveUp = (failed: Worker): void => {
    if (worker !== failed) return;
    worker = null;
    for (const number of pending.keys()) settle(number, unreadable);
    void failed.terminate();
  };
  const start = (): Worker => {
    const started = new Worker(workerUrl(import.meta.url, "read-email-worker"), { workerData: limits });
    started.on("message", (answer: ReadAnswer) => {
      settle(answer.number, answer.content);
    });
    started.on("error", () => {
      giveUp(started);
    });
    started.unref();
    return started;
  };
  const readElsewhere = async (raw: Uint8Array): Promise<EmailContent> =>
    new Promise((resolve) => {
      const reading = (worker ??= start());
      const number = nextNumber++;
      const cancelAlarm = clock.after(readMsMax, () => {
        giveUp(reading);
      });
      pending.set(number, { settle: resolve, cancelAlarm });
      reading.postMessage({ number, raw } satisfies ReadRequest);
    });

  return {
    read: (raw) => (raw.byteLength <= readHereBytesMax ? turns.read(raw) : readElsewhere(raw)),
    async close() {
      const last = worker;
      worker = null;
      await last?.terminate();
      for (const number of pending.keys()) settle(number, unreadable);
    },
  };
}

/** {@link readEmail}, or the description of a mail that could not be read. */
export function readSafely(raw: Uint8Array, limits: MimeLimits): EmailContent {
  try {
    return readEmail(raw, limits);
  } catch {
    return unreadable;
  }
}

/** What is said of a mail that could not be read. */
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
  attachments: [],
  summary: "",
  searchBody: "",
  defects: ["unreadable"],
};
