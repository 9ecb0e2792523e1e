import type { BackgroundTasks } from "../core/background-tasks.ts";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/errors.ts";
import { workerUrl } from "../core/worker-url.ts";
import { WorkerRpc, type WorkerCaller } from "../workers/worker-rpc.ts";
import { WorkerCallFailed } from "../workers/worker-slot.ts";
import { analyseBodies, readBodyTexts, type BodyPlaces, type EmailBodies } from "./email-bodies.ts";

/** Bytes of bodies, and digits among them, that are analysed on the thread that asks: some milliseconds at most. */
const hereBytesMax = 16 * 1024;
const hereDigitCountMax = 1000;
/** Longest analysis of the bodies of one mail, in milliseconds. */
const analyseMsMax = 20_000;
const heapMegabytesMax = 512;
/** Analyses that wait: of one key, and of all. */
const waitingPerKeyCountMax = 500;
const waitingCountMax = 5000;

/** What the analysing thread is asked. */
export interface BodyRequest {
  readonly raw: Uint8Array;
  readonly places: BodyPlaces;
}

/** Finds links, codes and images in the bodies of mails that are shown. */
export interface BodyAnalyser {
  /**
   * Analyses small bodies here, all others on a worker thread, fair between keys. Rejects with `too_many_requests` when the
   * key has too many waiting, with `unavailable` when the analysis fails or takes longer than 20 s.
   */
  analyse(request: BodyRequest, caller: WorkerCaller): Promise<EmailBodies>;
  close(): Promise<void>;
}

/** Creates an analyser; its thread starts with the first body that needs it. */
export function createBodyAnalyser(shared: {
  readonly clock: Pick<Clock, "after" | "monotonicMs">;
  readonly tasks: BackgroundTasks;
}): BodyAnalyser {
  const rpc = new WorkerRpc<BodyRequest, EmailBodies>({
    ...shared,
    task: "body_analyser",
    degrades: "some messages cannot be shown",
    file: workerUrl(import.meta.url, "body-analysis-worker"),
    workerData: null,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    callMsMax: analyseMsMax,
    waitingPerKeyCountMax,
    waitingCountMax,
  });
  return {
    async analyse(request, caller) {
      if (isCheapToAnalyse(request)) return analyseBodies(readBodyTexts(request.raw, request.places));
      try {
        return await rpc.call(request, caller);
      } catch (cause) {
        if (!(cause instanceof WorkerCallFailed)) throw cause;
        throw new Problem("unavailable", { text: "The analysis of this message failed or took too long", cause });
      }
    },
    close: () => rpc.close(),
  };
}

/** Whether analysing the bodies takes some milliseconds at most, whatever they say: candidates of codes cost most. */
export function isCheapToAnalyse({ raw, places }: BodyRequest): boolean {
  const parts = [...places.htmlParts, ...places.textParts];
  const bytes = parts.reduce((sum, { bodyStart, bodyEnd }) => sum + bodyEnd - bodyStart, 0);
  if (bytes > hereBytesMax) return false;
  let digitCount = 0;
  for (const { bodyStart, bodyEnd } of parts) {
    for (let at = bodyStart; at < bodyEnd; at += 1) if (isDigit(raw[at] ?? 0)) digitCount += 1;
  }
  return digitCount <= hereDigitCountMax;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
