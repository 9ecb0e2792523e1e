/** Ids of pending reports about delivered messages, which all stores share. */
import { randomUUID } from "node:crypto";

/** Returns a new id; ids are in the order of `at`, the instant of the delivery in milliseconds since the Unix epoch. */
export function newReportId(at: number): string {
  return `${String(Math.floor(at)).padStart(16, "0")}-${randomUUID()}`;
}
