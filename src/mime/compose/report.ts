/** Multipart/report (RFC 6522) about a mail, as bounces and complaints use it. */
import type { Mailbox } from "./address-field.ts";
import { textLeaf, type Stamp } from "./compose.ts";
import { identityEncoding } from "./transfer-encoding.ts";
import { singleLine } from "./header-text.ts";
import { writeMail, type Leaf } from "./write-mail.ts";

/** Names and values of one group of fields, in order; fields with a null value are omitted. */
export type FieldGroup = readonly (readonly [name: string, value: string | null])[];

/** Report to be composed. */
export interface Report extends Stamp {
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
