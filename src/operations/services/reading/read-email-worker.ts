/** Worker module that parses mails, started by `email-reader.ts`. */
import { workerData } from "node:worker_threads";
import type { MimeLimits } from "../../../mime/source.ts";
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../workers/collect-garbage.ts";
import { freeMoved } from "../../../workers/hand-over.ts";
import { readEmailWhole } from "./read-email.ts";

answerCalls((raw: Uint8Array) => readEmailWhole(raw, workerData as MimeLimits), {
  cleanUp: (raw) => {
    const isLarge = raw.byteLength > largeWorkBytesMin;
    freeMoved(raw);
    if (isLarge) collectGarbage();
  },
});
