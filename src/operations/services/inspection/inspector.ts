import { workerUrl } from "../../../core/worker.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import type { WorkerCaller, WorkerKind } from "../../../workers/worker-rpc.ts";
import { analyseMsMax, createMailWorker, type MailWorkerDependencies } from "../analysis/mail-worker.ts";
import type { Inspection, InspectionResults } from "./inspection.ts";
import type { SpamVerdict } from "../../../core/spam.ts";

/** Inspects mails. A key that waits for its own inspection does not delay those of others. */
export const inspectionWorker: WorkerKind = {
  task: "inspector",
  degrades: "spam, lint and deliverability reports fail",
  file: workerUrl(import.meta.url, "inspection-worker"),
  memory: { heapMegabytesMax: 768, buffersMegabytesMax: 512 },
  workerCount: 2,
  runningPerKeyCountMax: 1,
  callMsMax: analyseMsMax,
  waitingPerKeyCountMax: 20,
  waitingCountMax: 500,
};

/** Request to a worker. */
export interface InspectionRequest {
  readonly raw: Uint8Array;
  readonly inspection: Inspection;
}

/** Loads a raw mail. */
export type LoadRaw = () => Promise<Uint8Array>;

interface WaitingInspection {
  readonly load: LoadRaw;
  readonly inspection: Inspection;
}

/** Result of an {@link InspectionRequest}. */
type InspectionAnswer = InspectionResults[Inspection["kind"]];

/** Inspects mails in worker processes. */
export interface Inspector {
  /**
   * Loads the mail when its turn comes, so that waiting inspections hold no mails.
   * Rejects with `unavailable` when this inspection fails or takes longer than 20 s, with `too_many_requests` when the
   * caller's key has too many waiting, and as `load` does. Keys are served round-robin.
   */
  inspect<Kind extends Inspection["kind"]>(
    load: LoadRaw,
    inspection: Extract<Inspection, { kind: Kind }>,
    caller: WorkerCaller,
  ): Promise<InspectionResults[Kind]>;
  close(): Promise<void>;
}

/** Creates an inspector; its processes start with the first mails. */
export function createInspector({
  limits,
  ...dependencies
}: MailWorkerDependencies & { readonly limits: MimeLimits }): Inspector {
  const worker = createMailWorker<WaitingInspection, InspectionAnswer>({
    ...inspectionWorker,
    ...dependencies,
    workerData: limits,
    sizeOf: (request) => sizeOfRequest(request as InspectionRequest),
    prepare: async ({ load, inspection }): Promise<InspectionRequest> => ({ raw: await load(), inspection }),
  });
  return {
    inspect: async <Kind extends Inspection["kind"]>(
      load: LoadRaw,
      inspection: Extract<Inspection, { kind: Kind }>,
      caller: WorkerCaller,
    ) => (await worker.call({ load, inspection }, caller)) as InspectionResults[Kind],
    close: () => worker.close(),
  };
}

/** Returns the bytes of the mail and of new attachments. */
function sizeOfRequest({ raw, inspection }: InspectionRequest): number {
  const composition = inspection.kind === "compose" ? inspection.composition : null;
  const attachments = composition?.form === "reply" ? (composition.mail.attachments ?? []) : [];
  return attachments.reduce((sum, { content }) => sum + content.byteLength, raw.byteLength);
}

/** Response of a link. */
interface LinkResponse {
  /** Status after redirects; null when there was no response. */
  readonly status: number | null;
  /** Sentence about the failure for the reader of a report; null when the link responds. */
  readonly problem: string | null;
}

/** Request of a URL. Never rejects. */
export type LinkProbe = (url: string) => Promise<LinkResponse>;

/** External spam filter. */
export interface SpamFilter {
  /** Name of the engine in reports. */
  readonly name: string;
  /**
   * Loads and checks a mail when the caller's turn comes. Rejects with a `Problem` when too many checks wait and as `load`
   * does; with any other `Error` when the filter fails.
   */
  judge(load: LoadRaw, caller: WorkerCaller): Promise<SpamVerdict>;
}
