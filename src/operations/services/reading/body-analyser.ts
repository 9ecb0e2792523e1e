import { TooManyCandidates } from "../../../analysis/codes/find-codes.ts";
import { workerUrl } from "../../../core/worker.ts";
import { decodeBytes } from "../../../mime/body-content.ts";
import type { PartContent } from "../../../mime/part.ts";
import type { WorkerCaller, WorkerKind } from "../../../workers/worker-rpc.ts";
import { analyseMsMax, createMailWorker, type MailWorkerDependencies } from "../analysis/mail-worker.ts";
import { cheapCodeCandidateMax } from "./reading-cost.ts";
import { noLargeTexts, readBodies } from "./email-bodies.ts";
import type { ApartBodies, BodyPlaces, BodyRequest, EmailBodies } from "./email-bodies.ts";

/** Bytes of bodies that are read on the calling thread, in a few milliseconds, and whose texts are returned as strings. */
const wholeBytesMax = 64 * 1024;

/** Reads and analyses large bodies. */
export const bodyWorker: WorkerKind = {
  task: "body_analyser",
  degrades: "some messages cannot be shown",
  file: workerUrl(import.meta.url, "body-analysis-worker"),
  memory: { heapMegabytesMax: 512, buffersMegabytesMax: 512 },
  workerCount: 2,
  runningPerKeyCountMax: 1,
  callMsMax: analyseMsMax,
  waitingPerKeyCountMax: 500,
  waitingCountMax: 5000,
};

/** Request to the worker: reads bodies, with their texts as strings or as buffers, or decodes one part. */
export type BodyCall =
  | { readonly kind: "whole" | "apart"; readonly request: BodyRequest }
  | { readonly kind: "part"; readonly request: PartRequest };

/** Part of a mail to decode. */
interface PartRequest {
  readonly raw: Uint8Array;
  readonly part: PartContent;
}

/** Results of {@link BodyCall}. */
export type BodyResult = EmailBodies | ApartBodies | Uint8Array;

/** Reads the bodies of mails and finds links, codes and images in them. */
export interface BodyAnalyser {
  /**
   * Reads small bodies with few numbers on the calling thread, others in a worker process, fair between keys.
   * Rejects with `too_many_requests` when the key has too many waiting, with `unavailable` when the analysis fails or takes
   * longer than 20 s.
   */
  read(request: BodyRequest, caller: WorkerCaller): Promise<EmailBodies>;
  /** As `read`, with large texts as separate UTF-8 buffers, so that the calling thread handles no large string. */
  readApart(request: BodyRequest, caller: WorkerCaller): Promise<ApartBodies>;
  /** Decodes the content of a part: a small one on the calling thread, others in a worker process. Rejects as `read` does. */
  decode(request: PartRequest, caller: WorkerCaller): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Creates an analyser; its processes start with the first body that needs it. */
export function createBodyAnalyser(dependencies: MailWorkerDependencies): BodyAnalyser {
  const worker = createMailWorker<BodyCall, BodyResult>({
    ...bodyWorker,
    ...dependencies,
    workerData: null,
    sizeOf: (call) => (call as BodyCall).request.raw.byteLength,
  });
  const read: BodyAnalyser["read"] = async (request, caller) =>
    readCheapBodies(request) ?? ((await worker.call({ kind: "whole", request }, caller)) as EmailBodies);
  return {
    read,
    readApart: async (request, caller) =>
      bytesOf(request.places) <= wholeBytesMax
        ? { bodies: await read(request, caller), texts: noLargeTexts }
        : ((await worker.call({ kind: "apart", request }, caller)) as ApartBodies),
    decode: async (request, caller) =>
      isCheapToDecode(request.part)
        ? decodeBytes(request.raw, request.part)
        : ((await worker.call({ kind: "part", request }, caller)) as Uint8Array),
    close: () => worker.close(),
  };
}

/** Returns null for bodies that take longer than a few milliseconds. */
function readCheapBodies(request: BodyRequest): EmailBodies | null {
  if (bytesOf(request.places) > wholeBytesMax) return null;
  try {
    return readBodies(request, cheapCodeCandidateMax);
  } catch (error) {
    if (error instanceof TooManyCandidates) return null;
    throw error;
  }
}

/** Returns whether decoding takes a few milliseconds; content without a transfer encoding is not even copied. */
function isCheapToDecode({ bodyStart, bodyEnd, transferEncoding }: PartContent): boolean {
  return transferEncoding === "identity" || bodyEnd - bodyStart <= wholeBytesMax;
}

function bytesOf({ htmlParts, textParts }: BodyPlaces): number {
  return [...htmlParts, ...textParts].reduce((sum, { bodyStart, bodyEnd }) => sum + bodyEnd - bodyStart, 0);
}
