import { parentPort, workerData } from "node:worker_threads";
import type { MimeLimits } from "../mime/source.ts";
import { inspectMail } from "./inspection.ts";
import type { InspectionAnswer, InspectionRequest } from "./inspector.ts";

parentPort?.on("message", ({ number, raw, inspection }: InspectionRequest) => {
  void inspectMail(raw, inspection, workerData as MimeLimits).then((result) => {
    parentPort?.postMessage({ number, result } satisfies InspectionAnswer);
  });
});
