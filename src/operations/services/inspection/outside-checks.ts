import type { SpamVerdict } from "../../../core/spam.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { LoadRaw } from "./inspector.ts";

/** Response of a link. */
export interface LinkResponse {
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
