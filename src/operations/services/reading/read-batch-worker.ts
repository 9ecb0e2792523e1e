/** Worker module that parses batches of cheap mails, started by `batch-readers.ts`. */
import type { MimeLimits } from "../../../mime/source.ts";
import { readWorkerSettings } from "../../../workers/answer-calls.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import { type MailBatch, mailsOf } from "./batch-readers.ts";
import { tryToReadCheapEmail } from "./read-email.ts";

const limits = readWorkerSettings() as MimeLimits;

answerMailCalls(
  (batch: MailBatch) => mailsOf(batch).map((raw) => tryToReadCheapEmail(raw, limits)),
  ({ bytes }) => bytes.byteLength,
);
