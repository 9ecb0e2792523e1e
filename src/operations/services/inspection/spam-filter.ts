import type { SpamVerdict } from "../../../core/spam.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { LoadRaw } from "./inspector.ts";

/** A spam filter beside the service. */
export interface SpamFilter {
  /** Name of the engine, as reports show it. */
  readonly name: string;
  /**
   * Loads and judges a mail when the caller's turn comes. Rejects with a `Problem` when too many judgements wait and as
   * `load` does; with any other `Error` that says why the filter cannot judge.
   */
  judge(load: LoadRaw, caller: WorkerCaller): Promise<SpamVerdict>;
}
