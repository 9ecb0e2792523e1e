import type { MailReports, ReportedMail } from "../../core/mail-reports.ts";
import { decodeBytes, joinTexts } from "../../mime/body-content.ts";
import { type Mail, parseMail } from "../../mime/parse-mail.ts";
import type { Part } from "../../mime/part.ts";
import type { MimeLimits } from "../../mime/source.ts";
import { readTextNotification, toDeliveryReport, toDispositionReport, toFeedbackReport } from "./field-reports.ts";
import { readDmarcReport } from "./dmarc-report.ts";
import { type FieldGroup, readFieldGroups, valueOf, isoOf, textOf } from "./report-fields.ts";
import { readTlsReport } from "./tls-report.ts";
import { type ReportFile, reportBytesMax, unpack } from "./unpack.ts";

/** Files of a mail that are unpacked, and parts with fields that are read. */
const fileCountMax = 20;
const fieldPartCountMax = 20;
const recipientCountMax = 50;

type Draft = {
  -readonly [Kind in keyof MailReports]: MailReports[Kind] extends readonly (infer One)[] ? One[] : MailReports[Kind];
};

/** A mail whose reports are read. */
interface Reading {
  readonly raw: Uint8Array;
  readonly mail: Mail;
  readonly limits: MimeLimits;
  readonly reports: Draft;
}

const fieldTypes: ReadonlySet<string> = new Set([
  "message/delivery-status",
  "message/global-delivery-status",
  "message/feedback-report",
  "message/disposition-notification",
  "message/global-disposition-notification",
]);
const returnedTypes: ReadonlySet<string> = new Set([
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "message/rfc822-headers",
  "message/global-headers",
]);
const packedType =
  /^application\/(?:(?:x-)?(?:zip|gzip|zip-compressed|gzip-compressed)|tlsrpt\+(?:gzip|json)|octet-stream|json|xml)$/;
const packedName = /\.(?:xml|json|zip|gz|gzip)$/i;
/** Name of a report (RFC 7489 §7.2.1.1, RFC 8460 §5.1): receiver, domain, begin and end. */
const reportName = /^[^!]*![^!]+!\d+!\d+/;

/**
 * Reads the reports in a mail; `original.ids` is empty. Reports of DMARC and TLS are files, also in archives or as the whole
 * mail; those about single mails are parts with fields. At most 32 MB are unpacked. Does not reject because of the mail.
 */
export async function readReports(raw: Uint8Array, limits: MimeLimits): Promise<MailReports> {
  const mail = parseMail(raw, limits);
  const reports: Draft = {
    dmarc: [],
    tls: [],
    feedback: [],
    delivery: [],
    disposition: [],
    original: null,
    problems: [],
  };
  const reading: Reading = { raw, mail, limits, reports };
  const leaves = [...mail.attachments, ...mail.textParts];
  for (const part of leaves.filter(({ mediaType }) => fieldTypes.has(mediaType)).slice(0, fieldPartCountMax)) {
    addFieldReport(reading, part);
  }
  if (hasNone(reports)) addTextNotification(reading);
  if (!hasNone(reports)) addOriginal(reading, leaves);
  await addFileReports(reading, leaves);
  return reports;
}

function hasNone({ feedback, delivery, disposition }: MailReports): boolean {
  return feedback.length + delivery.length + disposition.length === 0;
}

/** Adds the report of a part with fields, and what it says about the mail. */
function addFieldReport({ raw, limits, reports }: Reading, part: Part): void {
  const groups = readFieldGroups(decodeBytes(raw, part), limits);
  const { mediaType } = part;
  if (mediaType === "message/feedback-report") add(reports.feedback, toFeedbackReport(groups));
  else if (mediaType.endsWith("delivery-status")) add(reports.delivery, toDeliveryReport(groups));
  else add(reports.disposition, toDispositionReport(groups));
  // Gmail states the Message-ID also where it returns nothing.
  reports.original ??= originalOfFields(groups[0] ?? []);
}

function add<Report>(list: Report[], report: Report | null): void {
  if (report !== null) list.push(report);
}

function originalOfFields(fields: FieldGroup): ReportedMail | null {
  const messageId = valueOf(fields, "original-message-id") ?? valueOf(fields, "x-original-message-id");
  if (messageId === null) return null;
  return { messageId, subject: null, from: null, to: [], date: null, ids: [] };
}

function addTextNotification({ raw, mail, limits, reports }: Reading): void {
  const failed = mail.headers.find(({ field }) => field.toLowerCase() === "x-failed-recipients");
  const found = readTextNotification(joinTexts(raw, mail.textParts) ?? "", failed?.value ?? null);
  if (found === null) return;
  reports.delivery.push(found.report);
  if (found.original !== null) reports.original = toOriginal(Buffer.from(found.original), limits);
}

/** Adds the mail that was returned, whole or its header section. */
function addOriginal({ raw, limits, reports }: Reading, leaves: readonly Part[]): void {
  const returned = leaves.find(({ mediaType }) => returnedTypes.has(mediaType));
  if (returned === undefined) return;
  const { original } = reports;
  const read = toOriginal(decodeBytes(raw, returned), limits);
  reports.original = { ...read, messageId: read.messageId ?? original?.messageId ?? null };
}

function toOriginal(bytes: Uint8Array, limits: MimeLimits): ReportedMail {
  const { messageId, subject, from, to, headerDate } = parseMail(bytes, limits);
  return {
    messageId: textOf(messageId),
    subject: textOf(subject),
    from: textOf(from[0]?.email),
    to: to.slice(0, recipientCountMax).flatMap(({ email }) => textOf(email) ?? []),
    date: isoOf(headerDate),
    ids: [],
  };
}

/** Adds the reports in files. */
async function addFileReports({ raw, mail, reports }: Reading, leaves: readonly Part[]): Promise<void> {
  const isAnnounced =
    mail.root.parameters.get("report-type") === "tlsrpt" || /^\s*report[ _-]domain:/i.test(mail.subject);
  let remaining = reportBytesMax;
  for (const part of leaves.filter(isPacked).slice(0, fileCountMax)) {
    const { fileName, mediaType } = part;
    const name = textOf(fileName);
    const bytes = Buffer.from(decodeBytes(raw, part));
    const { files, problem } = await unpack({ name, bytes }, remaining);
    let count = 0;
    for (const file of files) {
      remaining -= file.bytes.length;
      if (await addFileReport(reports, file)) count += 1;
    }
    const isExpected = isAnnounced || reportName.test(name ?? "") || mediaType.startsWith("application/tlsrpt");
    if (isExpected && (problem !== null || count === 0)) {
      reports.problems.push({ file: name, problem: problem ?? "Contains no report" });
    }
  }
}

function isPacked({ mediaType, fileName }: Part): boolean {
  return packedType.test(mediaType) || mediaType === "text/xml" || packedName.test(fileName ?? "");
}

/** Adds the report in a file; returns false for a file that is none. */
async function addFileReport(reports: Draft, file: ReportFile): Promise<boolean> {
  const start = file.bytes
    .toString("latin1", 0, 64)
    .replace(/^\u00ef\u00bb\u00bf/, "")
    .trimStart();
  if (start.startsWith("{")) {
    const report = readTlsReport(file);
    add(reports.tls, report);
    return report !== null;
  }
  if (!start.startsWith("<") && !/^(?:\u00fe\u00ff|\u00ff\u00fe)/.test(start)) return false;
  const read = await readDmarcReport(file);
  if (read === null) return false;
  reports.dmarc.push(read.report);
  if (read.problem !== null) reports.problems.push({ file: file.name, problem: `The XML is damaged: ${read.problem}` });
  return true;
}
