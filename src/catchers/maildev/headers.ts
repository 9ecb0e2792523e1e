/** Header fields as the parsers of MailDev's versions return them. */
import type { HeaderField } from "../../core/message.ts";
import { readMailDate } from "../../core/mail-date.ts";
import { fieldOf } from "../received-message.ts";
import type { Version } from "./email.ts";

/** Priority of an e-mail. */
type Priority = "high" | "normal" | "low";

/** Fields that tell the priority. */
const priorityFields: ReadonlySet<string> = new Set(["x-priority", "x-msmail-priority", "importance"]);

/** Fields that the parser of version 3 turns into objects, which MailDev leaves out. */
const structuredFields: ReadonlySet<string> = new Set([
  "from",
  "to",
  "cc",
  "bcc",
  "sender",
  "reply-to",
  "delivered-to",
  "return-path",
  "disposition-notification-to",
  "date",
  "content-type",
  "content-disposition",
  "dkim-signature",
]);

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Returns the header fields by lower-case names; repeated ones as lists. */
export function headersOf(headers: readonly HeaderField[], version: Version): Headers {
  const fields = new Map<string, string[]>();
  for (const { field, value } of headers) {
    const name = field.toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return Object.fromEntries(
    [...fields].flatMap(([name, values]) => {
      const value = values.length === 1 ? (values[0] ?? "") : values;
      if (priorityFields.has(name)) return [[version === 2 ? name : "priority", priorityOf(headers)] as const];
      if (version === 2) return [[name, value] as const];
      if (structuredFields.has(name) || name.startsWith("list-")) return [];
      if (name !== "references") return [[name, value] as const];
      const ids = values.join(" ").split(/\s+/).filter(Boolean);
      return [[name, ids.length === 1 ? (ids[0] ?? "") : ids] as const];
    }),
  );
}

/** Returns the priority that the fields tell; normal without them. */
export function priorityOf(headers: readonly HeaderField[]): Priority {
  const value = `${fieldOf(headers, "x-priority")} ${fieldOf(headers, "importance")}`.toLowerCase();
  if (/\b[12]\b|high/.test(value)) return "high";
  return /\b[45]\b|low/.test(value) ? "low" : "normal";
}

/** Returns the instant of the last Received field, in ISO 8601; undefined for none. */
export function receivedDateOf(headers: readonly HeaderField[]): string | undefined {
  const date = readMailDate(fieldOf(headers, "received").split(";").at(-1) ?? "");
  return date === null ? undefined : new Date(date.instant).toISOString();
}
