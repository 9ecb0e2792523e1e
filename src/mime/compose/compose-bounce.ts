import type { Stamp } from "./compose.ts";
import { usableMessageIds } from "./header-text.ts";
import { readableDate } from "./original.ts";
import { composeReport, type FieldGroup } from "./report.ts";

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
