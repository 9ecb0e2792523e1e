import type { Message } from "../../wire.ts";

const reportType =
  /^(?:message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report)|application\/tlsrpt\+)/i;
/** Name of a report about DMARC or TLS (RFC 7489 §7.2.1.1): receiver, domain, begin and end. */
const reportName = /^[^!]*![^!]+!\d+!\d+/;
const reportSubject = /^\s*(?:\[preview\]\s*)?report[ _-]domain:/i;

/** Returns whether a message is a report, by its types and names: the service decides when it reads the report. */
export function isReport({ attachments, subject, text, metadata }: Message): boolean {
  if (attachments.some(({ contentType, fileName }) => reportType.test(contentType) || reportName.test(fileName)))
    return true;
  if (attachments.length > 0 && reportSubject.test(subject)) return true;
  if (text.body?.trimStart().startsWith("Hi. This is the qmail-send program") === true) return true;
  return metadata.headers.some(({ field }) => field.toLowerCase() === "x-failed-recipients");
}
