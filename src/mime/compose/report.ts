/** What bounces and complaints share: a multipart/report (RFC 6522) about a mail. */
import { identityEncoding, textLeaf, type Stamp } from "./compose.ts";
import { singleLine } from "./header-text.ts";
import { writeMail, type Leaf, type Mailbox } from "./write-mail.ts";

/** Names and values of one group of fields, in order; those with a null value are left out. */
export type FieldGroup = readonly (readonly [name: string, value: string | null])[];

/** A report to be written. */
export interface Report extends Stamp {
  readonly reportType: "delivery-status" | "feedback-report";
  readonly from: Mailbox;
  readonly to: string;
  readonly subject: string;
  /** For people. */
  readonly text: string;
  /** For machines: groups of fields, an empty line between two. */
  readonly groups: readonly FieldGroup[];
  /** The mail that the report is about. */
  readonly original: Uint8Array;
  /** Whether the whole original comes with the report, or its header section alone (RFC 3461 §4.3). */
  readonly returns: "full" | "headers";
  /** Message id of the original with its angle brackets, fit for a field. */
  readonly originalMessageId: string | null;
  readonly autoSubmitted: "auto-replied" | "auto-generated";
}

const fieldLengthMax = 900;

/** The raw report. An original that could not travel as it is (8-bit lines are fine, bare LF is not) shows its header. */
export async function composeReport(report: Report): Promise<Uint8Array> {
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
    report.boundarySeed,
  );
}

function fieldGroup(group: FieldGroup): string {
  return group.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${fieldValue(value)}\r\n`])).join("");
}

/** These groups know no encoded words: what is not ASCII is shown as `?`. */
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
