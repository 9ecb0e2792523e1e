import { workerUrl } from "../../../core/worker-url.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { handOver } from "../../../workers/hand-over.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import { createMailWorker, type MailWorkerDependencies } from "../analysis/mail-worker.ts";
import type { Inspection, InspectionResults } from "./inspection.ts";

const heapMegabytesMax = 768;
/** Waiting inspections of one key, and of all keys. */
const waitingPerKeyCountMax = 20;
const waitingCountMax = 500;

/** Request to the inspection thread. */
export interface InspectionRequest {
  readonly raw: Uint8Array;
  readonly inspection: Inspection;
}

/** Loads a raw mail. */
export type LoadRaw = () => Promise<Uint8Array>;

interface WaitingInspection {
  readonly load: LoadRaw;
  readonly inspection: Inspection;
}

/** Result of an {@link InspectionRequest}. */
export type InspectionAnswer = InspectionResults[Inspection["kind"]];

/** Inspects mails on a worker thread. */
export interface Inspector {
  /**
   * Loads the mail when its turn comes, so that waiting inspections hold no mails; a large one is transferred to the thread.
   * Rejects with `unavailable` when this inspection fails or takes longer than 20 s, with `too_many_requests` when the
   * caller's key has too many waiting, and as `load` does. Keys are served round-robin.
   */
  inspect<Kind extends Inspection["kind"]>(
    load: LoadRaw,
    inspection: Extract<Inspection, { kind: Kind }>,
    caller: WorkerCaller,
  ): Promise<InspectionResults[Kind]>;
  close(): Promise<void>;
}

/** Creates an inspector; its thread starts with the first mail. */
export function createInspector({
  limits,
  ...dependencies
}: MailWorkerDependencies & { readonly limits: MimeLimits }): Inspector {
  const worker = createMailWorker<WaitingInspection, InspectionAnswer>({
    ...dependencies,
    task: "inspector",
    degrades: "spam, lint and deliverability reports fail",
    file: workerUrl(import.meta.url, "inspection-worker"),
    workerData: limits,
    heapMegabytesMax,
    waitingPerKeyCountMax,
    waitingCountMax,
    handOver: async ({ load, inspection }) => {
      const request: InspectionRequest = { raw: await load(), inspection };
      return handOver(request, request.raw);
    },
  });
  return {
    inspect: async <Kind extends Inspection["kind"]>(
      load: LoadRaw,
      inspection: Extract<Inspection, { kind: Kind }>,
      caller: WorkerCaller,
    ) => (await worker.call({ load, inspection }, caller)) as InspectionResults[Kind],
    close: () => worker.close(),
  };
}
