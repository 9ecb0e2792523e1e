/** Worker module that parses mails, started by `email-reader.ts`. */
import { workerData } from "node:worker_threads";
import type { MimeLimits } from "../../../mime/source.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import { readEmailWhole } from "./read-email.ts";

answerMailCalls((raw: Uint8Array) => readEmailWhole(raw, workerData as MimeLimits), { rawOf: (raw) => raw });
