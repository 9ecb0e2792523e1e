/** Members that a request has globally and in personalizations. */
import type { Issues } from "./issues.ts";

/** Custom header fields: lower-case name → name as written and value. */
export type Headers = ReadonlyMap<string, readonly [name: string, value: string]>;

const reserved: ReadonlySet<string> = new Set(
  "x-sg-id x-sg-eid received dkim-signature content-type content-transfer-encoding to from subject reply-to cc bcc".split(
    " ",
  ),
);
/** Custom header fields of a request or a personalization; those of the request are copied to each mail. */
const headerCountMax = 100;
const scheduleMsMax = 72 * 3_600_000;

/** Reads `headers`; names are printable ASCII without a colon, and not reserved. */
export function readHeaders(issues: Issues, value: unknown, field: string): Headers {
  const headers = issues.strings(value ?? undefined, field, "headerValues");
  const entries = Object.entries(headers);
  if (entries.length > headerCountMax) {
    issues.add("headerCount", field);
    return new Map();
  }
  if (!entries.every(([name]) => /^[!-9;-~]+$/.test(name))) issues.add("headerKeys", field);
  if (entries.some(([name]) => reserved.has(name.toLowerCase()))) issues.add("headerReserved", field);
  return new Map(entries.map((entry) => [entry[0].toLowerCase(), entry]));
}

/** Reads `send_at`, seconds since the Unix epoch; returns milliseconds, null for an absent one. */
export function checkSendAt(
  issues: Issues,
  value: unknown,
  { field, now }: { readonly field: string; readonly now: number },
): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    issues.add("sendAtType", field);
    return null;
  }
  const instant = value * 1000;
  if (instant > now + scheduleMsMax) issues.add("sendAtTooLate", field);
  // 0 and instants in the past mean now.
  return instant > now ? instant : null;
}
