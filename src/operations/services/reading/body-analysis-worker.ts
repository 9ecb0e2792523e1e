/** Worker module that reads and analyses bodies, started by `body-analyser.ts`. */
import { decodeBytes } from "../../../mime/body-content.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import type { BodyCall, BodyResult, PartRequest } from "./body-analyser.ts";
import { readBodies, readBodiesApart } from "./email-bodies.ts";

answerMailCalls(
  ({ kind, request }: BodyCall): BodyResult => {
    if (kind === "part") return decodePart(request);
    return kind === "apart" ? readBodiesApart(request) : readBodies(request);
  },
  { rawOf: ({ request }) => request.raw, bytesOf: largeBytesOf },
);

/** Returns the decoded part in a buffer of its own, which can be transferred. */
function decodePart({ raw, part }: PartRequest): Uint8Array {
  const bytes = decodeBytes(raw, part);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function largeBytesOf(result: BodyResult): readonly Uint8Array[] {
  if (result instanceof Uint8Array) return [result];
  return "texts" in result ? [result.texts.html, result.texts.text].filter((one) => one !== null) : [];
}
