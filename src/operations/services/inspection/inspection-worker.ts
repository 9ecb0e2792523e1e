/** Worker module that inspects mails, started by `inspector.ts`. */
import type { MimeLimits } from "../../../mime/source.ts";
import { readWorkerSettings } from "../../../workers/answer-calls.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import { inspectMail } from "./inspection.ts";
import type { InspectionRequest } from "./inspector.ts";

const limits = readWorkerSettings() as MimeLimits;

answerMailCalls(
  ({ raw, inspection }: InspectionRequest) => inspectMail(raw, inspection, limits),
  ({ raw }) => raw.byteLength,
);
