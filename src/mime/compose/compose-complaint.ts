import type { Stamp } from "./compose.ts";
import { usableMessageIds } from "./header-text.ts";
import { readableDate } from "./original.ts";
import { composeReport } from "./report.ts";

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
