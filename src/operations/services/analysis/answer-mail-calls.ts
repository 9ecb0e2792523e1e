/** Worker side of the processes that read and analyse mails, and render templates. */
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../core/process-resources.ts";

/**
 * Resident bytes from which on a process is replaced after a call: an idle one would keep them for a minute, and a call that
 * needs as much takes longer than the start of another process. A fresh one has about 100 MB, of which half is Node's binary.
 */
const residentBytesMax = 192 * 1024 * 1024;

/** Executes calls with `action`, as `answerCalls` does; collects garbage after each large one. */
export function answerMailCalls<Request, Result>(
  action: (request: Request) => Result | Promise<Result>,
  sizeOf: (request: Request) => number,
): void {
  answerCalls(action, {
    residentBytesMax,
    cleanUp: (request) => {
      if (sizeOf(request) > largeWorkBytesMin) collectGarbage();
    },
  });
}
