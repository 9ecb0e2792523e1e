import type { FeedbackReport } from "../../core/mail-reports.ts";
import { type FieldGroup, dateOf, untyped, valueOf, valuesOf } from "./report-fields.ts";
import { countOf, resultOf } from "./report-values.ts";

const otherCountMax = 50;

/** Fields that have members of their own. */
const namedFields: ReadonlySet<string> = new Set([
  "feedback-type",
  "user-agent",
  "version",
  "source-ip",
  "arrival-date",
  "received-date",
  "incidents",
  "original-mail-from",
  "original-rcpt-to",
  "reporting-mta",
  "reported-domain",
  "reported-uri",
  "auth-failure",
  "authentication-results",
  "delivery-result",
]);

/** Returns the complaint of the fields of a message/feedback-report (RFC 5965 §3, RFC 6591 §3); null without any. */
export function toFeedbackReport(groups: readonly FieldGroup[]): FeedbackReport | null {
  const fields = groups.flat();
  if (fields.length === 0) return null;
  return {
    type: resultOf(valueOf(fields, "feedback-type")),
    userAgent: valueOf(fields, "user-agent"),
    sourceIp: valueOf(fields, "source-ip"),
    arrived: dateOf(fields, "arrival-date") ?? dateOf(fields, "received-date"),
    incidents: countOf(valueOf(fields, "incidents")) || 1,
    mailFrom: addressOf(valueOf(fields, "original-mail-from")),
    recipients: valuesOf(fields, "original-rcpt-to").flatMap((one) => addressOf(one) ?? []),
    reportingMta: untyped(valueOf(fields, "reporting-mta")),
    domains: valuesOf(fields, "reported-domain"),
    uris: valuesOf(fields, "reported-uri"),
    authenticationFailure: resultOf(valueOf(fields, "auth-failure")),
    authenticationResults: valuesOf(fields, "authentication-results"),
    deliveryResult: resultOf(valueOf(fields, "delivery-result")),
    others: fields
      .filter(({ name }) => !namedFields.has(name))
      .slice(0, otherCountMax)
      .map(({ name, value }) => ({ field: name, value })),
  };
}

/** Returns an address without angle brackets; null for the empty reverse path. */
function addressOf(value: string | null): string | null {
  return value?.replace(/^<([^<>]*)>$/, "$1") || null;
}
