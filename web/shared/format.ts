/** Formats of numbers, times and contacts. */
import { strings } from "../strings.ts";
import type { Contact } from "../wire.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats bytes with a unit and at most three digits: `812 B`, `4.2 kB`, `51 MB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit] ?? ""}`;
}

/**
 * Formats when something happened: `now` within a minute, minutes within an hour, then the local time on the same day, and the
 * date otherwise, with its year unless it is the current one: `5 min`, `14:03`, `14 Nov`, `14 Nov 2025`.
 */
export function formatAge(instant: string, nowMs: number): string {
  const [date, now] = [new Date(instant), new Date(nowMs)];
  const ageMs = now.getTime() - date.getTime();
  if (ageMs < minuteMs) return strings.time.now;
  if (ageMs < hourMs) return strings.time.wholeMinutes(Math.floor(ageMs / minuteMs));
  if (date.toDateString() === now.toDateString()) {
    return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  }
  return dateOf(date, now);
}

/** Formats a remaining time with its two largest units; negative times as zero. */
export function formatSpan(spanMs: number): string {
  const span = Math.max(0, spanMs);
  if (span < hourMs) return strings.time.minutes(Math.floor(span / minuteMs), Math.floor((span % minuteMs) / secondMs));
  const hours = Math.floor((span % dayMs) / hourMs);
  if (span < dayMs) return strings.time.hours(hours, Math.floor((span % hourMs) / minuteMs));
  return strings.time.days(Math.floor(span / dayMs), hours);
}

/** Formats a duration with two or more significant digits: `0.42 ms`, `8.1 ms`, `1.3 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs >= 10 * secondMs) return `${(durationMs / secondMs).toFixed(0)} s`;
  if (durationMs >= secondMs) return `${(durationMs / secondMs).toFixed(1)} s`;
  const digits = durationMs >= 10 ? 0 : durationMs >= 1 ? 1 : 2;
  return `${durationMs.toFixed(digits)} ms`;
}

/** Formats date and local time to the second, with the year unless it is the current one: `14 Nov 09:12:07`. */
export function formatDay(instant: string, nowMs = Date.now()): string {
  const date = new Date(instant);
  return `${dateOf(date, new Date(nowMs))} ${date.toLocaleTimeString("en-GB")}`;
}

function dateOf(date: Date, now: Date): string {
  const year = date.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year });
}

/** Formats an instant in local time with its offset, to the second: `2026-11-20 14:03:07 +01:00`. */
export function formatInstant(instant: string): string {
  return formatLocal(instant, "second");
}

/** Formats an instant like `formatInstant`, but to the millisecond, for times that are compared with those of logs. */
export function formatPreciseInstant(instant: string): string {
  return formatLocal(instant, "millisecond");
}

function formatLocal(instant: string, unit: "second" | "millisecond"): string {
  const date = new Date(instant);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * minuteMs).toISOString();
  const offset = -date.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const two = (number: number): string => String(number).padStart(2, "0");
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${local.slice(0, 10)} ${local.slice(11, unit === "second" ? 19 : 23)} ${zone}`;
}

/** Returns the message of an error, or what was thrown as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the address or phone number of a contact; its name if it has neither. */
export function addressOf(contact: Contact): string {
  return contact.email ?? contact.phone ?? contact.name;
}

/**
 * Formats a contact as `Name <address>`, or as its address if it has no name; the domain in Unicode follows where it is written
 * in ASCII.
 */
export function formatContact(contact: Contact): string {
  const address = addressOf(contact);
  const formatted = contact.name === "" || contact.name === address ? address : `${contact.name} <${address}>`;
  const domain = unicodeDomainOf(contact.email ?? "");
  return domain === null ? formatted : `${formatted} (${domain})`;
}

/** Domains in Unicode, of those that are written in ASCII (RFC 3492, RFC 5890). */

const parameters = { base: 36, tMin: 1, tMax: 26, skew: 38, damp: 700, initialBias: 72, initialCode: 128 };
const prefix = "xn--";
/** Longest label (RFC 1035 §2.3.4). */
const labelLengthMax = 63;

/** Returns the domain of an address in Unicode; null when it is not written in ASCII for another script, or not valid. */
export function unicodeDomainOf(address: string): string | null {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  if (!domain.includes(prefix)) return null;
  const labels = domain.split(".").map((label) => (label.startsWith(prefix) ? decodeLabel(label.slice(4)) : label));
  return labels.includes(null) ? null : labels.join(".");
}

/** Decodes a label without its prefix; null when it is not valid. */
function decodeLabel(label: string): string | null {
  if (label.length > labelLengthMax) return null;
  const hyphen = label.lastIndexOf("-");
  const output = Array.from(label.slice(0, Math.max(0, hyphen)), (character) => character.charCodeAt(0));
  let [code, bias, position] = [parameters.initialCode, parameters.initialBias, 0];
  for (let at = hyphen + 1; at < label.length;) {
    const start = position;
    for (let weight = 1, k = parameters.base; ; k += parameters.base) {
      const digit = digitOf(label.charCodeAt(at++));
      if (digit === null) return null;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, parameters.tMin), parameters.tMax);
      if (digit < threshold) break;
      weight *= parameters.base - threshold;
    }
    const count = output.length + 1;
    bias = adapt(position - start, count, start === 0);
    code += Math.floor(position / count);
    position %= count;
    if (code > 0x10ffff) return null;
    output.splice(position++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number | null {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : null;
}

/** Adapts the bias (RFC 3492 §6.1). */
function adapt(delta: number, count: number, isFirst: boolean): number {
  const { base, tMin, tMax, skew, damp } = parameters;
  let left = Math.floor(delta / (isFirst ? damp : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > ((base - tMin) * tMax) / 2; k += base) left = Math.floor(left / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * left) / (left + skew));
}

/** Returns the beginning of a text as a list shows it: without the subject, which HTML bodies often repeat as their heading. */
export function formatPreview({ subject, summary }: { readonly subject: string; readonly summary: string }): string {
  return `${summary} `.startsWith(`${subject} `) ? summary.slice(subject.length).trimStart() : summary;
}
