/** The side of the RPC that runs inside the worker thread. */
import { parentPort } from "node:worker_threads";
import type { WorkerCall, WorkerMessage } from "./worker-protocol.ts";

/**
 * Answers the calls of a {@link WorkerRpc} with `action`; to be called once, at the end of a worker's module. An exception
 * of `action` rejects its call only.
 */
export function answerCalls<Request, Answer>(action: (request: Request) => Answer | Promise<Answer>): void {
  const port = parentPort;
  if (port === null) throw new Error("this file is the body of a worker thread");
  const post = (message: WorkerMessage<Answer>): void => {
    port.postMessage(message);
  };
  const answer = async ({ number, request }: WorkerCall<Request>): Promise<void> => {
    try {
      post({ kind: "answered", number, answer: await action(request) });
    } catch (error) {
      post({ kind: "threw", number, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  port.on("message", (call: WorkerCall<Request>) => void answer(call));
  post({ kind: "ready" });
}
