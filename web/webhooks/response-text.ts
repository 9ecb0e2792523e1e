import { pageStrings } from "../page-strings.ts";
import type { CallbackDelivery } from "../wire.ts";

/** Returns the status of a response and why the attempt failed, on one line; "" before the first attempt. */
export function responseText(attempt: CallbackDelivery["lastAttempt"]): string {
  if (attempt === null) return "";
  const { responseStatus, error } = attempt;
  if (responseStatus === null) return error ?? pageStrings.webhooks.noResponse;
  return error === null ? String(responseStatus) : `${String(responseStatus)}: ${error}`;
}
