/** Rule by which all stores disable targets that have failed for days. */

/** Time after which a target that only fails is disabled, as Standard Webhooks recommends: five days. */
const failingMsMax = 5 * 24 * 3_600_000;
/**
 * Longest time between two failures of one streak: longer than the longest pause of the schedule with its jitter. A single
 * failure weeks after another proves nothing.
 */
export const failureGapMsMax: number = 2 * 24 * 3_600_000;

/** Result of recording an outcome. */
export interface RecordedOutcome {
  /** Sequence number of the change `failed` when the delivery of a message has failed permanently, or null. */
  readonly sequence: number | null;
  /** Reason for which the outcome has disabled its target by this rule; absent otherwise. */
  readonly disabled?: string;
}

/** Returns the reason to disable a target that fails at `at` and has failed since `since`; null while it may recover. */
export function disablingReason({ since, at }: { readonly since: number; readonly at: number }): string | null {
  if (at - since < failingMsMax) return null;
  return `All requests since ${new Date(since).toISOString().slice(0, 16)}Z have failed`;
}
