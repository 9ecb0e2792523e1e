/** Whole mails that an application submits to `/messages.mime`. */
import { parseMail, type Mail } from "../../mime/parse-mail.ts";
import type { SubmittedEmail } from "../email.ts";
import { isJsonObject, readJson } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { addressesOf } from "../formats/mail-fields.ts";
import { factsOf, identifyFor, type SendContext } from "./compose.ts";
import { textOfValue } from "./options.ts";
import type { MimeRequest } from "./request.ts";

/** Largest header section that is read for the sender, tags and variables; the mail itself is stored unchanged. */
const headerBytesMax = 64 * 1024;
const limits = { headerBytesMax, headerCountMax: 1000, partCountMax: 1, partDepthMax: 1 };

/** Returns the mail of a request; its bytes are stored unchanged. Tags and variables may be header fields of the mail. */
export function composeMime({ to, raw, options }: MimeRequest, context: SendContext): SubmittedEmail {
  const mail = readHeader(raw);
  const sender = mail.from[0]?.email ?? "";
  const values = (name: string): readonly string[] =>
    mail.headers.flatMap(({ field, value }) => (field.toLowerCase() === name ? [value] : []));
  const variables = values("x-mailgun-variables").flatMap((text) => {
    const value = readJson(Buffer.from(text));
    return isJsonObject(value) ? Object.entries(value) : [];
  });
  const own = Object.fromEntries(variables.map(([name, value]) => [name, textOfValue(value)]));
  const tags = [...new Set([...values("x-mailgun-tag"), ...options.tags])];
  return {
    content: raw,
    mailFrom: isEmailAddress(sender) ? sender : `postmaster@${context.domain}`,
    recipients: addressesOf(to),
    facts: factsOf({ ...options, tags, metadata: { ...own, ...options.metadata } }, null),
    sendAt: options.sendAt,
    identify: (uuid) => ({ ...identifyFor(context, null)(uuid), messageId: null }),
  };
}

function readHeader(raw: Uint8Array): Mail {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, headerBytesMax));
  const ends = [start.indexOf("\r\n\r\n"), start.indexOf("\n\n")].filter((end) => end !== -1);
  return parseMail(start.subarray(0, Math.min(start.byteLength, ...ends.map((end) => end + 2))), limits);
}
