/** Contract of the quarantine of queued work, over all queues whose work is leased. */
import type { MessageId } from "../core/ids.ts";
import type { LeasedQueueName } from "../core/quarantine.ts";

/** Work that is not claimed until it is released by hand. */
export interface QuarantinedWork {
  readonly queue: LeasedQueueName;
  /** Id within the queue: of an outbox entry, a delivery or a scheduled message, or of the message that is scanned or parsed. */
  readonly id: string;
  /** Message that it is about; null without one. */
  readonly message: MessageId | null;
  /** Attempts that were started. */
  readonly attempts: number;
  /** Milliseconds since the Unix epoch. */
  readonly quarantinedAt: number;
}

/**
 * Quarantine of the work of all leased queues. Claims count themselves in the row, where a crash of the whole process leaves
 * them; outcomes and returned claims take the count back.
 */
export interface QuarantineStore {
  /** Quarantines due work whose claims have died `deathCountMax` times, and returns it. */
  quarantineDue(now: number): Promise<readonly QuarantinedWork[]>;
  /** Returns quarantined work, queue by queue and each the oldest first, at most `quarantineListCountMax`. */
  listQuarantined(): Promise<readonly QuarantinedWork[]>;
  /** Returns the number of quarantined pieces of each queue. */
  countQuarantined(): Promise<Readonly<Record<LeasedQueueName, number>>>;
  /** Makes quarantined work due at `now` with no deaths counted; returns the number of pieces. */
  releaseQuarantined(queue: LeasedQueueName, ids: readonly string[], now: number): Promise<number>;
}
