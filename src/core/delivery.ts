/** Status of an outbound delivery. */
export type DeliveryStatus = "Queued" | "Sent" | "Failed";

/** Delivery of a sent message, over all its recipients. */
export interface Delivery {
  /** `Failed` when delivery to one recipient has failed, else `Queued` while one is pending, else `Sent`. */
  readonly status: DeliveryStatus;
  /** Highest number of attempts started for one recipient. */
  readonly attempts: number;
  /** Last error, on one line; null without one. */
  readonly lastError: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  readonly updated: string;
}
