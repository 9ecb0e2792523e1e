import type { SpamVerdict } from "../../../core/spam.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";
import type { LoadRaw } from "./inspector.ts";

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
