/** Reports about single mails, in groups of fields: deliveries, dispositions, complaints. */
import type { DeliveryReport, DispositionReport, ReportedRecipient, FeedbackReport } from "../../core/mail-reports.ts";
import { type FieldGroup, dateOf, untyped, valueOf, valuesOf, resultOf, textOf, countOf } from "./report-fields.ts";

const recipientCountMax = 1000;
/** Text of a notification in which the forms without fields are looked for. */
const textLengthMax = 64 * 1024;

/** Returns the notification of the groups of a message/delivery-status (RFC 3464 §2); null without any. */
export function toDeliveryReport(groups: readonly FieldGroup[]): DeliveryReport | null {
  const [first, ...others] = groups;
  if (first === undefined) return null;
  // Some servers write one group, or leave out the one about the message.
  const isAlone = valueOf(first, "final-recipient") !== null;
  const recipients = (isAlone ? groups : others).filter(
    (group) => recipientOf(group) !== null || valueOf(group, "action") !== null,
  );
  return {
    form: "dsn",
    reportingMta: untyped(valueOf(first, "reporting-mta")),
    receivedFrom: untyped(valueOf(first, "received-from-mta")),
    envelopeId: valueOf(first, "original-envelope-id"),
    arrived: dateOf(first, "arrival-date"),
    recipients: recipients.slice(0, recipientCountMax).map((group): ReportedRecipient => ({
      recipient: recipientOf(group),
      originalRecipient: untyped(valueOf(group, "original-recipient")),
      action: /^[a-z]+/.exec(resultOf(valueOf(group, "action")) ?? "")?.[0] ?? null,
      status: statusOf(valueOf(group, "status")),
      diagnostic: untyped(valueOf(group, "diagnostic-code")),
      remoteMta: untyped(valueOf(group, "remote-mta")),
      lastAttempt: dateOf(group, "last-attempt-date"),
      retriedUntil: dateOf(group, "will-retry-until"),
    })),
  };
}

function recipientOf(group: FieldGroup): string | null {
  return untyped(valueOf(group, "final-recipient"));
}

/** Returns the status without what some servers write after it; null without one. */
function statusOf(text: string | null): string | null {
  return /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(text ?? "")?.[0] ?? null;
}

/** Notification of a form without fields, and the returned mail in it; null without one. */
interface TextNotification {
  readonly report: DeliveryReport;
  readonly original: string | null;
}

/**
 * Returns the notification in the text of a mail: in the form of qmail (QSBMF), or of older Exim, which names the recipients in
 * the field X-Failed-Recipients. Null for any other text.
 */
export function readTextNotification(text: string, failedRecipients: string | null): TextNotification | null {
  const known = text.slice(0, textLengthMax);
  const recipients = /^\s*Hi\. This is the /.test(known) ? qmailRecipients(known) : eximRecipients(failedRecipients);
  if (recipients.length === 0) return null;
  const copy = /^---+ (?:Below this line is a copy of|This is a copy of) [^\n]{0,200}\n/m.exec(known);
  const form = failedRecipients === null ? "qmail" : "exim";
  const report = { form, reportingMta: null, receivedFrom: null, envelopeId: null, arrived: null, recipients } as const;
  return { report, original: copy === null ? null : text.slice(copy.index + copy[0].length).trimStart() };
}

/** Returns the recipients of paragraphs that begin with `<address>:`. */
function qmailRecipients(text: string): readonly ReportedRecipient[] {
  const [notice = ""] = text.split(/^---/m, 1);
  return notice
    .split(/\n[ \t]*\n/)
    .flatMap((paragraph) => {
      const [, recipient = "", reason = ""] = /^\s*<([^<>\s]{1,320})>:[ \t]*\n(.*)$/s.exec(paragraph) ?? [];
      if (recipient === "") return [];
      const diagnostic = textOf(reason.replaceAll(/\s+/g, " "));
      return [failed(recipient, diagnostic)];
    })
    .slice(0, recipientCountMax);
}

function eximRecipients(field: string | null): readonly ReportedRecipient[] {
  const addresses = (field ?? "").split(",").map((one) => one.trim());
  return addresses
    .filter((one) => one.includes("@"))
    .slice(0, recipientCountMax)
    .map((one) => failed(one.slice(0, 320), null));
}

function failed(recipient: string, diagnostic: string | null): ReportedRecipient {
  return {
    recipient,
    originalRecipient: null,
    action: "failed",
    status: statusOf(/#(\d\.\d{1,3}\.\d{1,3})/.exec(diagnostic ?? "")?.[1] ?? diagnostic),
    diagnostic,
    remoteMta: null,
    lastAttempt: null,
    retriedUntil: null,
  };
}

/** Returns the notification of the fields of a message/disposition-notification (RFC 8098 §3.1); null without any. */
export function toDispositionReport([fields]: readonly FieldGroup[]): DispositionReport | null {
  if (fields === undefined) return null;
  const [mode = "", rest = ""] = (valueOf(fields, "disposition") ?? "").split(";", 2);
  const [disposition, modifiers] = rest.split("/", 2);
  return {
    reportingAgent: valueOf(fields, "reporting-ua"),
    recipient: untyped(valueOf(fields, "final-recipient")),
    originalRecipient: untyped(valueOf(fields, "original-recipient")),
    disposition: resultOf(disposition),
    modifiers: (modifiers ?? "").split(",").flatMap((one) => resultOf(one) ?? []),
    mode: textOf(mode),
    errors: ["error", "failure", "warning"].flatMap((name) => valuesOf(fields, name)),
  };
}

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
