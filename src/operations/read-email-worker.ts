/** The thread on which big mails are read; speaks the messages of `email-reader.ts`. */
import { parentPort, workerData } from "node:worker_threads";
import type { MimeLimits } from "../mime/source.ts";
import { readSafely, type ReadAnswer, type ReadRequest } from "./email-reader.ts";

const limits = workerData as MimeLimits;

parentPort?.on("message", ({ number, raw }: ReadRequest) => {
  parentPort?.postMessage({ number, content: readSafely(raw, limits) } satisfies ReadAnswer);
});
