/** The thread on which bodies are read and analysed that are not cheap; called by `body-analyser.ts`. */
import { answerCalls } from "../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../workers/collect-garbage.ts";
import { freeMoved, handOver } from "../workers/hand-over.ts";
import type { BodyCall } from "./body-analyser.ts";
import { readBodies, readBodiesApart, type ApartBodies, type EmailBodies } from "./email-bodies.ts";

answerCalls(
  ({ request, isApart }: BodyCall): EmailBodies | ApartBodies =>
    isApart ? readBodiesApart(request) : readBodies(request),
  {
    movedOf: (answer) =>
      "texts" in answer
        ? handOver(answer, ...[answer.texts.html, answer.texts.text].filter((one) => one !== null)).moved
        : [],
    cleanUp: ({ request }) => {
      const isLarge = request.raw.byteLength > largeWorkBytesMin;
      freeMoved(request.raw);
      if (isLarge) collectGarbage();
    },
  },
);
