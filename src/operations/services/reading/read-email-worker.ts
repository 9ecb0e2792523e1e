/** Worker module that parses mails, started by `email-reader.ts`. */
import type { MimeLimits } from "../../../mime/source.ts";
import { readWorkerSettings } from "../../../workers/answer-calls.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import { readEmailWhole } from "./read-email.ts";

const limits = readWorkerSettings() as MimeLimits;

answerMailCalls(
  (raw: Uint8Array) => readEmailWhole(raw, limits),
  (raw) => raw.byteLength,
);
