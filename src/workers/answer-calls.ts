/** Worker side of the RPC. */
import { parentPort } from "node:worker_threads";
import type { WorkerCall, WorkerMessage } from "./worker-protocol.ts";

/** Options of {@link answerCalls}. */
export interface AnswerOptions<Request, Answer> {
  /** Returns the buffers of a result that are transferred to the caller's thread; the rest is cloned. */
  readonly movedOf?: (answer: Answer) => readonly ArrayBuffer[];
  /** Runs after each call, before the next one. */
  readonly cleanUp?: (request: Request) => void;
  /** Returns whether a message is a call; false for those that the worker receives by a listener of its own. */
  readonly isCall?: (message: object) => boolean;
}

/**
 * Executes the calls of a {@link WorkerRpc} with `action`; called once, at the end of a worker module. An exception of
 * `action` rejects its call only.
 */
export function answerCalls<Request, Answer>(
  action: (request: Request) => Answer | Promise<Answer>,
  { movedOf, cleanUp, isCall = () => true }: AnswerOptions<Request, Answer> = {},
): void {
  const post = (message: WorkerMessage<Answer>, moved: readonly ArrayBuffer[] = []): void => {
    if (parentPort !== null) parentPort.postMessage(message, [...moved]);
    else if (process.send !== undefined) process.send(message);
    else throw new Error("this module must be run as a worker");
  };
  const answer = async ({ number, request }: WorkerCall<Request>): Promise<void> => {
    try {
      const answer = await action(request);
      post({ kind: "answered", number, answer }, movedOf?.(answer));
    } catch (error) {
      post({ kind: "threw", number, reason: error instanceof Error ? error.message : String(error) });
    } finally {
      cleanUp?.(request);
    }
  };
  (parentPort ?? process).on("message", (call: WorkerCall<Request>) => {
    if (isCall(call)) void answer(call);
  });
  post({ kind: "ready" });
}
