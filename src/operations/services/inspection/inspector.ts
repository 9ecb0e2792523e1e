import type { BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { workerUrl } from "../../../core/worker-url.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { handOver } from "../../../workers/hand-over.ts";
import { WorkerRpc, type WorkerCaller, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";
import type { Inspection, InspectionResults } from "./inspection.ts";

/** Time-out of one inspection in milliseconds. */
const inspectMsMax = 20_000;
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

/** Options of {@link createInspector}. */
export interface InspectorOptions {
  readonly limits: MimeLimits;
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
  /** For tests. */
  readonly openThread?: WorkerRpcOptions["openThread"] | undefined;
}

/** Creates an inspector; its thread starts with the first mail. */
export function createInspector({ limits, ...shared }: InspectorOptions): Inspector {
  const rpc = new WorkerRpc<WaitingInspection, InspectionAnswer>({
    ...shared,
    task: "inspector",
    degrades: "spam, lint and deliverability reports fail",
    file: workerUrl(import.meta.url, "inspection-worker"),
    workerData: limits,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    callMsMax: inspectMsMax,
    waitingPerKeyCountMax,
    waitingCountMax,
    handOver: async ({ load, inspection }) => {
      const request: InspectionRequest = { raw: await load(), inspection };
      return handOver(request, request.raw);
    },
  });
  return {
    async inspect<Kind extends Inspection["kind"]>(
      load: LoadRaw,
      inspection: Extract<Inspection, { kind: Kind }>,
      caller: WorkerCaller,
    ): Promise<InspectionResults[Kind]> {
      try {
        return (await rpc.call({ load, inspection }, caller)) as InspectionResults[Kind];
      } catch (cause) {
        if (!(cause instanceof WorkerCallFailed)) throw cause;
        throw new Problem("unavailable", { text: "The analysis of this message failed or took too long", cause });
      }
    },
    close: () => rpc.close(),
  };
}
