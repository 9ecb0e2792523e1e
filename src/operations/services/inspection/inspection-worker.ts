/** Worker module that inspects mails, started by `inspector.ts`. */
import { workerData } from "node:worker_threads";
import type { MimeLimits } from "../../../mime/source.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import { inspectMail } from "./inspection.ts";
import type { InspectionRequest } from "./inspector.ts";

answerMailCalls(({ raw, inspection }: InspectionRequest) => inspectMail(raw, inspection, workerData as MimeLimits), {
  rawOf: ({ raw }) => raw,
  bytesOf: (result) => {
    if (result instanceof Uint8Array) return [result];
    return typeof result === "object" && result !== null && "body" in result && result.body instanceof Uint8Array
      ? [result.body]
      : [];
  },
});
