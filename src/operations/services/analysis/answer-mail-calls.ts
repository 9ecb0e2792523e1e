/** Worker side of the threads that read and analyse mails. */
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../core/collect-garbage.ts";
import { freeMoved, handOver } from "../../../workers/hand-over.ts";

/** Memory of the calls of {@link answerMailCalls}. */
export interface MailCallOptions<Request, Result> {
  /** Returns the raw mail of a request, which is freed after the call. */
  readonly rawOf: (request: Request) => Uint8Array;
  /** Returns the byte arrays of a result, which are transferred when they are large; none by default. */
  readonly bytesOf?: (result: Result) => readonly Uint8Array[];
}

/** Executes calls with `action`, as `answerCalls` does; collects garbage after each large mail. */
export function answerMailCalls<Request, Result>(
  action: (request: Request) => Result | Promise<Result>,
  { rawOf, bytesOf = () => [] }: MailCallOptions<Request, Result>,
): void {
  answerCalls(action, {
    movedOf: (result) => handOver(result, ...bytesOf(result)).moved,
    cleanUp: (request) => {
      const raw = rawOf(request);
      const isLarge = raw.byteLength > largeWorkBytesMin;
      freeMoved(raw);
      if (isLarge) collectGarbage();
    },
  });
}
