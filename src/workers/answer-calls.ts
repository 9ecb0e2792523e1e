/** Worker side of the RPC. */
import { postWhole, receiveWhole } from "./apart-bytes.ts";

/** Options of {@link answerCalls}. */
export interface AnswerOptions<Request> {
  /** Runs after each call, before the next one. */
  readonly cleanUp?: (request: Request) => void;
  /** Resident bytes of the process after a call from which on it is replaced; without a limit by default. */
  readonly residentBytesMax?: number;
  /** Returns whether a message is a call; false for those that the worker receives by a listener of its own. */
  readonly isCall?: (message: object) => boolean;
}

/** Signals that also reach the workers when they are meant for the service: of a terminal and of systemd. */
const signalsOfService = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Executes the calls of a {@link WorkerRpc} with `action`; called once, at the end of a worker module. An exception of
 * `action` rejects its call only. The worker exits when the service disconnects, and not before, so that calls end well
 * while the service stops.
 */
export function answerCalls<Request, Answer>(
  action: (request: Request) => Answer | Promise<Answer>,
  { cleanUp, residentBytesMax = Infinity, isCall = () => true }: AnswerOptions<Request> = {},
): void {
  if (process.send === undefined) throw new Error("this module must be run as a worker");
  const post = (message: WorkerMessage<Answer>): void => postWhole(message, (one) => process.send?.(one));
  const answer = async ({ number, request }: WorkerCall<Request>): Promise<void> => {
    const isSpent = (): boolean => process.memoryUsage.rss() > residentBytesMax;
    try {
      const result = await action(request);
      post({ kind: "answered", number, isSpent: isSpent(), answer: result });
    } catch (error) {
      post({
        kind: "threw",
        number,
        isSpent: isSpent(),
        reason: error instanceof Error ? error.message : String(error),
      });
    } finally {
      cleanUp?.(request);
    }
  };
  for (const signal of signalsOfService) process.on(signal, () => undefined);
  process.on("message", (message: object) => {
    const call = receiveWhole(message) as WorkerCall<Request>;
    if (isCall(call)) void answer(call);
  });
  // A worker that has started programs ends them first, by a listener of its own.
  if (process.listenerCount("disconnect") === 0) process.once("disconnect", () => process.exit());
  post({ kind: "ready" });
}

/** Messages between the caller of a worker and the worker. */

/** Call. `number` matches it with its result. */
export interface WorkerCall<Request> {
  readonly number: number;
  readonly request: Request;
}

/** Message of a worker: `ready` once, then one message per call. */
export type WorkerMessage<Answer> =
  | { readonly kind: "ready" }
  | ({ readonly kind: "answered"; readonly answer: Answer } & WorkerResult)
  | ({ readonly kind: "threw"; readonly reason: string } & WorkerResult);

/** Members of every result. */
interface WorkerResult {
  readonly number: number;
  /** Whether the worker has so much memory after the call that it is replaced, unless the next call waits already. */
  readonly isSpent: boolean;
}

/** Environment variable that contains the settings of a worker as JSON. */
export const workerSettingsVariable = "RESTANTE_WORKER_SETTINGS";

/** Returns the settings of this worker. */
export function readWorkerSettings(): unknown {
  const text = process.env[workerSettingsVariable];
  if (text === undefined) throw new Error("this module must be run as a worker");
  return JSON.parse(text);
}
