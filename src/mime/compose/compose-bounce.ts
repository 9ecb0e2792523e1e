import type { Stamp } from "./compose.ts";
import { usableMessageIds } from "./header-text.ts";
import { readableDate } from "./original.ts";
import { composeReport, type FieldGroup } from "./report.ts";

/** A delivery status notification (RFC 3464) as the world's mail servers would send it. */
export interface Bounce extends Stamp {
  readonly action: "failed" | "delayed";
  /** The original's return path; nothing is answered where that is "" (RFC 5321 §6.1). */
  readonly to: string;
  /** Host name of the server that reports. */
  readonly reportingMta: string;
  /** Who could not be reached, or not yet. */
  readonly recipient: string;
  /** Enhanced status (RFC 3463): `5.1.1` for failed, `4.4.1` for delayed. */
  readonly status: string;
  /** The SMTP reply that says why, `550 5.1.1 No such user`. */
  readonly diagnostic: string;
  /** When the original was received, in milliseconds since the Unix epoch. */
  readonly arrivedAt: number;
  /** Until when delivery is tried, in milliseconds since the Unix epoch; of a delayed mail only. */
  readonly retriedUntil?: number;
  readonly original: Uint8Array;
  readonly originalMessageId: string | null;
  readonly returns: "full" | "headers";
}

/** The raw notification. Its envelope sender is "" (RFC 3464 §2). */
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
