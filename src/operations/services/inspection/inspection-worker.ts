/** Worker module that inspects mails, started by `inspector.ts`. */
import { workerData } from "node:worker_threads";
import type { MimeLimits } from "../../../mime/source.ts";
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../workers/collect-garbage.ts";
import { freeMoved, handOver } from "../../../workers/hand-over.ts";
import { inspectMail } from "./inspection.ts";
import type { InspectionRequest } from "./inspector.ts";

answerCalls(({ raw, inspection }: InspectionRequest) => inspectMail(raw, inspection, workerData as MimeLimits), {
  movedOf: (result) => (result instanceof Uint8Array ? handOver(result, result).moved : []),
  cleanUp: ({ raw }) => {
    const isLarge = raw.byteLength > largeWorkBytesMin;
    freeMoved(raw);
    if (isLarge) collectGarbage();
  },
});
