import { readIsoInstant } from "../formats/iso-instant.ts";
import { invalidResendField, ResendRejection } from "./errors.ts";

const dayMs = 24 * 3_600_000;
const scheduleMsMax = 30 * dayMs;
const unitMs: Readonly<Record<string, number>> = {
  second: 1000,
  sec: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
};

/**
 * Returns the instant of `scheduled_at` in milliseconds since the Unix epoch, null when it is absent: ISO 8601, in UTC
 * without an offset, or a span such as `in 1 min`, `in an hour`; other natural language is not understood. Throws {@link ResendRejection} for
 * anything else and for an instant of more than 30 days from now.
 */
export function readScheduledAt(value: unknown, now: number): number | null {
  if (value === undefined || value === null) return null;
  const instant = typeof value === "string" ? (readSpan(value, now) ?? readIsoInstant(value.toUpperCase())) : undefined;
  if (instant === undefined) {
    throw new ResendRejection(
      invalidResendField("Invalid `scheduled_at` field. Use ISO 8601, or a span such as `in 1 min`."),
    );
  }
  if (instant > now + scheduleMsMax) {
    throw new ResendRejection(invalidResendField("The `scheduled_at` field must be within 30 days."));
  }
  return instant;
}

function readSpan(text: string, now: number): number | undefined {
  const [, amount = "", unit = ""] = /^in (\d{1,6}|an?) ([a-z]+?)s?$/i.exec(text.trim()) ?? [];
  const lower = unit.toLowerCase();
  const ms = Object.hasOwn(unitMs, lower) ? unitMs[lower] : undefined;
  return ms === undefined ? undefined : now + ms * (/^a/i.test(amount) ? 1 : Number(amount));
}
