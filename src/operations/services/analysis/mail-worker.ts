import { Problem } from "../../../core/errors.ts";
import {
  WorkerRpc,
  type WorkerCaller,
  type WorkerKind,
  type WorkerRequests,
  type WorkerRpcOptions,
} from "../../../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../../../workers/worker-slot.ts";

/** Time-out of the analysis of one mail in milliseconds. */
export const analyseMsMax = 20_000;

/** Dependencies of {@link createMailWorker}. */
export type MailWorkerDependencies = Pick<WorkerRpcOptions, "clock" | "tasks" | "room" | "openWorker">;

/** Worker that analyses mails for HTTP requests. */
export interface MailWorker<Request, Result> {
  /**
   * Executes a request, fair between keys. Rejects with `too_many_requests` when the key has too many waiting, with
   * `unavailable` when the analysis fails or takes longer than 20 s, and as `prepare` does.
   */
  call(request: Request, caller: WorkerCaller): Promise<Result>;
  close(): Promise<void>;
}

/** Creates a worker, whose module calls `answerMailCalls`; its processes start with the first calls. */
export function createMailWorker<Request, Result>(
  options: WorkerKind & WorkerRpcOptions & WorkerRequests<Request>,
): MailWorker<Request, Result> {
  const rpc = new WorkerRpc<Request, Result>(options);
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
