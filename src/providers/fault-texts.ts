/** Texts for the errors of fault rules. */
import { STATUS_CODES } from "node:http";

/** Seconds after which a rejected sender may try again, in the header fields of rate limits. */
export const retryAfterSeconds = 1;

/** Returns the standard reason phrase of an HTTP status; that of its class for unknown ones. */
export function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? (status < 500 ? "Bad Request" : "Internal Server Error");
}
