import type { Mailbox } from "./address-field.ts";
import { replyReferences } from "./compose-reply.ts";
import { type Original, readableDate } from "./original.ts";
import { composeMail, type Stamp, textLeaf } from "./compose.ts";
import { singleLine, usableMessageIds } from "./header-text.ts";
import { identityEncoding } from "./transfer-encoding.ts";
import { type Leaf, writeMail } from "./write-mail.ts";

// Multipart/report (RFC 6522) about a mail, as bounces and complaints use it.

/** Names and values of one group of fields, in order; fields with a null value are omitted. */
type FieldGroup = readonly (readonly [name: string, value: string | null])[];

/** Report to be composed. */
interface Report extends Stamp {
  readonly reportType: "delivery-status" | "feedback-report";
  readonly from: Mailbox;
  readonly to: string;
  readonly subject: string;
  /** Text for people. */
  readonly text: string;
  /** Text for programs: groups of fields, separated by an empty line. */
  readonly groups: readonly FieldGroup[];
  /** Mail that the report is about. */
  readonly original: Uint8Array;
  /** Whether the report includes the whole original or its header section only (RFC 3461 §4.3). */
  readonly returns: "full" | "headers";
  /** Message id of the original with its angle brackets, valid in a header field. */
  readonly originalMessageId: string | null;
  readonly autoSubmitted: "auto-replied" | "auto-generated";
}

const fieldLengthMax = 900;

/**
 * Returns the raw report. If the original cannot be sent unchanged (8-bit lines can, bare LF cannot), only its header
 * is included.
 */
async function composeReport(report: Report): Promise<Uint8Array> {
  const { from, to, subject, messageId, date, originalMessageId } = report;
  const references = originalMessageId === null ? [] : [originalMessageId];
  const extra = { "Auto-Submitted": report.autoSubmitted };
  return await writeMail(
    { from, to: [{ address: to }], subject, messageId, date, inReplyTo: originalMessageId, references, extra },
    {
      contentType: `multipart/report; report-type=${report.reportType}`,
      children: [
        textLeaf("plain", report.text),
        leaf(`message/${report.reportType}`, report.groups.map(fieldGroup).join("\r\n"), "7bit"),
        returnedContent(report),
      ],
    },
    { boundarySeed: report.boundarySeed },
  );
}

function fieldGroup(group: FieldGroup): string {
  return group.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${fieldValue(value)}\r\n`])).join("");
}

/** Writes groups of fields. Encoded words are not allowed there, so characters outside of ASCII become `?`. */
function fieldValue(value: string): string {
  return singleLine(value)
    .replaceAll(/[^ -~]/g, "?")
    .slice(0, fieldLengthMax);
}

function returnedContent(report: Report): Leaf {
  const encoding = report.returns === "full" ? identityEncoding(report.original) : null;
  if (encoding !== null) return leaf("message/rfc822", report.original, encoding);
  return textLeaf("rfc822-headers", headerSection(report.original));
}

function headerSection(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const ends = [bytes.indexOf("\r\n\r\n"), bytes.indexOf("\n\n")].filter((end) => end !== -1);
  return `${bytes.toString("utf8", 0, Math.min(bytes.length, ...ends))}\n`;
}

function leaf(contentType: string, content: string | Uint8Array, transferEncoding: "7bit" | "8bit"): Leaf {
  return { contentType, content, transferEncoding, disposition: null, fileName: null, contentId: null };
}

/** Delivery status notification (RFC 3464) in the form that a remote mail server would send. */
export interface Bounce extends Stamp {
  readonly action: "failed" | "delayed";
  /** Return path of the original; no notification is sent if it is "" (RFC 5321 §6.1). */
  readonly to: string;
  /** Host name of the reporting server. */
  readonly reportingMta: string;
  /** Recipient that could not be reached, or not yet. */
  readonly recipient: string;
  /** Enhanced status (RFC 3463): `5.1.1` for failed, `4.4.1` for delayed. */
  readonly status: string;
  /** SMTP reply with the reason, `550 5.1.1 No such user`. */
  readonly diagnostic: string;
  /** Instant at which the original was received, in milliseconds since the Unix epoch. */
  readonly arrivedAt: number;
  /** Instant until which delivery is retried, in milliseconds since the Unix epoch; for delayed mail only. */
  readonly retriedUntil?: number;
  readonly original: Uint8Array;
  readonly originalMessageId: string | null;
  readonly returns: "full" | "headers";
}

/** Returns the raw notification. Its envelope sender is "" (RFC 3464 §2). */
export async function composeBounce(bounce: Bounce): Promise<Uint8Array> {
  const { to, reportingMta, original, returns, messageId, date, boundarySeed } = bounce;
  return await composeReport({
    to,
    original,
    returns,
    messageId,
    date,
    boundarySeed,
    reportType: "delivery-status",
    from: { name: "Mail Delivery System", address: `MAILER-DAEMON@${reportingMta}` },
    subject: bounce.action === "failed" ? "Undelivered Mail Returned to Sender" : "Delayed Mail (still being retried)",
    text: explanation(bounce),
    groups: [perMessage(bounce), perRecipient(bounce)],
    originalMessageId: usableMessageIds([bounce.originalMessageId ?? ""])[0] ?? null,
    autoSubmitted: "auto-replied",
  });
}

function explanation({ action, reportingMta, recipient, diagnostic }: Bounce): string {
  const outcome =
    action === "failed"
      ? "Your message could not be delivered to the recipient below, and will not be\ntried again."
      : "Your message could not be delivered to the recipient below yet. This system\nkeeps trying; there is no need to send it again.";
  return `${reportingMta} reports:\n\n${outcome}\n\n<${recipient}>: ${diagnostic}\n`;
}

function perMessage(bounce: Bounce): FieldGroup {
  return [
    ["Reporting-MTA", `dns; ${bounce.reportingMta}`],
    ["Arrival-Date", readableDate(bounce.arrivedAt)],
  ];
}

function perRecipient(bounce: Bounce): FieldGroup {
  const until = bounce.action === "delayed" ? bounce.retriedUntil : undefined;
  return [
    ["Original-Recipient", `rfc822;${bounce.recipient}`],
    ["Final-Recipient", `rfc822; ${bounce.recipient}`],
    ["Action", bounce.action],
    ["Status", bounce.status],
    ["Diagnostic-Code", `smtp; ${bounce.diagnostic}`],
    ["Last-Attempt-Date", readableDate(bounce.date)],
    ["Will-Retry-Until", until === undefined ? null : readableDate(until)],
  ];
}

/** Feedback report (RFC 5965): a recipient marked the mail as spam. */
export interface Complaint extends Stamp {
  /** RFC 5965 §7.3. */
  readonly feedbackType: "abuse" | "fraud" | "virus" | "not-spam" | "other";
  /** Address of the reporter: the feedback loop of the recipient's mail service. */
  readonly from: string;
  /** Return path of the original, which receives complaints about it. */
  readonly to: string;
  /** Recipient who complains. */
  readonly recipient: string;
  /** Envelope sender of the original. */
  readonly mailFrom: string;
  /** Address of the client that sent the original; null when unknown. */
  readonly sourceIp: string | null;
  /** Instant at which the original was received, in milliseconds since the Unix epoch. */
  readonly arrivedAt: number;
  readonly original: Uint8Array;
  readonly originalMessageId: string | null;
}

/**
 * Returns the raw complaint with the whole original; its subject is that of the original (RFC 5965 §2). Its envelope
 * sender is "".
 */
export async function composeComplaint(complaint: Complaint, originalSubject: string): Promise<Uint8Array> {
  const { to, original, messageId, date, boundarySeed, recipient, mailFrom } = complaint;
  return await composeReport({
    to,
    original,
    messageId,
    date,
    boundarySeed,
    reportType: "feedback-report",
    from: { address: complaint.from },
    subject: originalSubject,
    text: `This is an email abuse report for a message that ${recipient} received on ${readableDate(complaint.arrivedAt)}.\n`,
    groups: [
      [
        ["Feedback-Type", complaint.feedbackType],
        ["User-Agent", "restante/1"],
        ["Version", "1"],
        ["Original-Mail-From", `<${mailFrom}>`],
        ["Original-Rcpt-To", `<${recipient}>`],
        ["Arrival-Date", readableDate(complaint.arrivedAt)],
        ["Reporting-MTA", `dns; ${domainOf(complaint.from)}`],
        ["Source-IP", complaint.sourceIp],
        ["Reported-Domain", domainOf(mailFrom) || null],
      ],
    ],
    returns: "full",
    originalMessageId: usableMessageIds([complaint.originalMessageId ?? ""])[0] ?? null,
    autoSubmitted: "auto-generated",
  });
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Out-of-office reply. */
export interface Autoreply extends Stamp {
  /** Recipient of the original, who is away. */
  readonly from: Mailbox;
  /** Return path of the original, never its From or Reply-To (RFC 3834 §4); no reply is sent without one. */
  readonly to: string;
  readonly text: string;
}

/**
 * Returns the raw out-of-office reply (RFC 3834), marked so that automatic responders do not answer it. Its envelope
 * sender is "".
 */
export async function composeAutoreply(original: Original, reply: Autoreply): Promise<Uint8Array> {
  const { to, text, ...rest } = reply;
  return await composeMail({
    ...rest,
    to: [{ address: to }],
    subject: `Auto: ${original.subject}`.trimEnd(),
    text,
    html: null,
    inReplyTo: original.messageId,
    references: replyReferences(original),
    extra: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
  });
}
