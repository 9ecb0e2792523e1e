import type { SpamVerdict } from "../core/spam.ts";

/** A spam filter beside the service. */
export interface SpamFilter {
  /** Name of the engine, as answers show it. */
  readonly name: string;
  /** Rejects with an `Error` that says why it cannot tell. */
  judge(raw: Uint8Array): Promise<SpamVerdict>;
}
