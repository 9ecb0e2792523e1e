/** How far something that left a server has come. */
export type DeliveryStatus = "Queued" | "Sent" | "Failed";

/** What became of a sent message, over all its recipients. */
export interface Delivery {
  /** `Failed` when one recipient will not get it, else `Queued` while one still waits, else `Sent`. */
  readonly status: DeliveryStatus;
  /** Most attempts that were begun for any one recipient. */
  readonly attempts: number;
  /** What went wrong last, on one line; null where nothing did. */
  readonly lastError: string | null;
  /** ISO 8601 in UTC with milliseconds. */
  readonly updated: string;
}
