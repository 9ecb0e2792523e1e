/** Worker side of the processes that read and analyse mails, and render templates. */
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../core/collect-garbage.ts";

/** Executes calls with `action`, as `answerCalls` does; collects garbage after each large one. */
export function answerMailCalls<Request, Result>(
  action: (request: Request) => Result | Promise<Result>,
  sizeOf: (request: Request) => number,
): void {
  answerCalls(action, {
    cleanUp: (request) => {
      if (sizeOf(request) > largeWorkBytesMin) collectGarbage();
    },
  });
}
