/** Worker module that reads and analyses bodies, started by `body-analyser.ts`. */
import { decodeBytes } from "../../../mime/body-content.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import type { BodyCall, BodyResult } from "./body-analyser.ts";
import { readBodies, readBodiesApart } from "./email-bodies.ts";

answerMailCalls(
  ({ kind, request }: BodyCall): BodyResult => {
    if (kind === "part") return decodeBytes(request.raw, request.part);
    return kind === "apart" ? readBodiesApart(request) : readBodies(request);
  },
  ({ request }) => request.raw.byteLength,
);
