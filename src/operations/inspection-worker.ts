import { parentPort, workerData } from "node:worker_threads";
import type { MimeLimits } from "../mime/source.ts";
import { inspectMail } from "./inspection.ts";
import type { InspectionAnswer, InspectionRequest } from "./inspector.ts";

async function answer({ number, raw, inspection }: InspectionRequest): Promise<void> {
  const result = await inspectMail(raw, inspection, workerData as MimeLimits);
  parentPort?.postMessage({ number, result } satisfies InspectionAnswer);
}

parentPort?.on("message", (request: InspectionRequest) => void answer(request));
