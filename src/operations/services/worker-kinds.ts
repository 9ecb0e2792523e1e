import type { WorkerKind } from "../../workers/worker-rpc.ts";
import { inspectionWorker } from "./inspection/inspector.ts";
import { batchReader } from "./reading/batch-readers.ts";
import { bodyWorker } from "./reading/body-analyser.ts";
import { mailReader, mailReparser } from "./reading/email-reader.ts";
import { templateWorker } from "./templates/template-renderer.ts";

/**
 * All kinds of workers that evaluate what strangers write, besides those that drive a browser. Tests end each of them in
 * every way; a module whose name ends in `-worker` and that belongs to no kind fails a test.
 */
export const workerKinds: readonly WorkerKind[] = [
  mailReader,
  mailReparser,
  batchReader,
  bodyWorker,
  inspectionWorker,
  templateWorker,
];
