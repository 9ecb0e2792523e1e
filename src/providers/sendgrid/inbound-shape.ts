/** SendGrid Inbound Parse (https://www.twilio.com/docs/sendgrid/for-developers/parsing-email). */
import type { InboundMail, InboundShape } from "../callbacks.ts";
import { jsonText } from "../formats/callback-values.ts";
import { fieldParts, writeMultipart } from "../formats/form-body.ts";
import { headerOf } from "../inbound/mail-texts.ts";
import { signature, signatureHeaders } from "./event-webhook.ts";

/** Mail as Inbound Parse posts it. */
export const sendGridInbound: InboundShape = {
  name: "sendgrid",
  label: "SendGrid Inbound Parse",
  ...signature,
  settings: [
    {
      name: "raw",
      description: "`true`: the whole mail in the field `email`, as with the option for raw MIME",
      isSecret: false,
      values: ["false", "true"],
    },
    ...signature.settings,
  ],
  render: (mail, { raw = "false" }, signing) => {
    const fields = raw === "true" ? { email: mail.raw } : parsedFields(mail);
    const files = raw === "true" ? [] : filesOf(mail);
    const { contentType, body } = writeMultipart([...fieldParts({ ...fields, ...commonFields(mail) }), ...files]);
    return { headers: { "User-Agent": "Sendlib/1.0", ...signatureHeaders(body, signing) }, contentType, body };
  },
};

type Fields = Parameters<typeof fieldParts>[0];

function commonFields(mail: InboundMail): Fields {
  const { text, html, envelope, verdicts, spam } = mail;
  const cc = headerOf(mail, "cc");
  const charsets = { to: true, from: true, subject: true, cc: cc !== "", text: text !== "", html: html !== "" };
  const present = Object.entries(charsets).flatMap(([name, isPresent]) =>
    isPresent ? [[name, "UTF-8"] as const] : [],
  );
  return {
    to: headerOf(mail, "to"),
    from: headerOf(mail, "from"),
    cc: cc || null,
    subject: mail.subject,
    sender_ip: mail.clientIp,
    envelope: jsonText({ to: [mail.recipient], from: envelope.from }),
    charsets: jsonOf(present),
    SPF: verdicts.spf,
    dkim: dkimOf(mail),
    spam_score: spam.score.toString(),
    spam_report: spam.report,
  };
}

function parsedFields(mail: InboundMail): Fields {
  const files = filesOf(mail);
  const about = files.map(({ name, file: { fileName, contentType: type, contentId } }) => {
    const id = contentId === null ? {} : { "content-id": contentId };
    return [name, { filename: fileName, name: fileName, type, ...id }] as const;
  });
  const ids = files.flatMap(({ name, file: { contentId } }) =>
    contentId === null ? [] : [[contentId, name] as const],
  );
  return {
    headers: mail.rawHeaders.replaceAll(/\r\n?/g, "\n"),
    text: mail.text || null,
    html: mail.html || null,
    attachments: files.length.toString(),
    "attachment-info": jsonOf(about),
    "content-ids": jsonOf(ids),
  };
}

function filesOf({ attachments }: InboundMail) {
  return attachments.map((file, at) => ({ name: `attachment${at + 1}`, value: file.content, file }));
}

/** Returns the JSON of an object; null without members. */
function jsonOf(entries: readonly (readonly [string, unknown])[]): string | null {
  return entries.length === 0 ? null : jsonText(Object.fromEntries(entries));
}

/** Results by domain in a form that is not quite JSON: `{@example.com : pass}`. */
function dkimOf({ verdicts, from }: InboundMail): string {
  if (verdicts.dkim === "none") return "none";
  return `{@${from[0]?.address.split("@").at(-1) ?? ""} : ${verdicts.dkim}}`;
}
