import { Problem } from "../../../core/errors.ts";
import type { HandedOver } from "../../../workers/hand-over.ts";
import { WorkerRpc, type WorkerCaller, type WorkerRpcOptions } from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";

/** Time-out of the analysis of one mail in milliseconds. */
const analyseMsMax = 20_000;

/** Dependencies of {@link createMailWorker}. */
export type MailWorkerDependencies = Pick<WorkerRpcOptions, "clock" | "tasks" | "openThread">;

/** Options of {@link createMailWorker}. */
export interface MailWorkerOptions<Request>
  extends
    MailWorkerDependencies,
    Pick<WorkerRpcOptions, "task" | "file" | "workerData" | "waitingPerKeyCountMax" | "waitingCountMax"> {
  /** Effect on users while the task fails. */
  readonly degrades: string;
  readonly heapMegabytesMax: number;
  /** Prepares a request when its turn comes; the call rejects when this rejects. */
  readonly handOver: (request: Request) => HandedOver | Promise<HandedOver>;
}

/** Worker thread that analyses mails for HTTP requests. */
export interface MailWorker<Request, Result> {
  /**
   * Executes a request, fair between keys. Rejects with `too_many_requests` when the key has too many waiting, with
   * `unavailable` when the analysis fails or takes longer than 20 s, and as `handOver` does.
   */
  call(request: Request, caller: WorkerCaller): Promise<Result>;
  close(): Promise<void>;
}

/** Creates a worker, whose module calls `answerMailCalls`; its thread starts with the first call. */
export function createMailWorker<Request, Result>({
  heapMegabytesMax,
  ...options
}: MailWorkerOptions<Request>): MailWorker<Request, Result> {
  const rpc = new WorkerRpc<Request, Result>({
    ...options,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    callMsMax: analyseMsMax,
  });
  return {
    call: async (request, caller) => {
      try {
        return await rpc.call(request, caller);
      } catch (cause) {
        if (!(cause instanceof WorkerCallFailed)) throw cause;
        throw new Problem("unavailable", { text: "The analysis of this message failed or took too long", cause });
      }
    },
    close: () => rpc.close(),
  };
}
