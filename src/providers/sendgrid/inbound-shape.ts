/** SendGrid Inbound Parse (https://www.twilio.com/docs/sendgrid/for-developers/parsing-email). */
import type { InboundAttachment, InboundMail, InboundShape } from "../callbacks.ts";
import { jsonText } from "../formats/callback-values.ts";
import { writeMultipart, type FormPart } from "../formats/form-body.ts";
import type { JsonObject } from "../formats/json-body.ts";
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
    const parts = [
      ...(raw === "true" ? [{ name: "email", value: mail.raw }] : parsedParts(mail)),
      ...commonParts(mail),
    ];
    const { contentType, body } = writeMultipart(parts.toSorted((a, b) => order(a) - order(b)));
    return { headers: { "User-Agent": "Sendlib/1.0", ...signatureHeaders(body, signing) }, contentType, body };
  },
};

/** Files follow the fields. */
function order({ file }: FormPart): number {
  return file === undefined ? 0 : 1;
}

function commonParts(mail: InboundMail): readonly FormPart[] {
  const cc = headerOf(mail, "cc");
  const charsets = ["to", "from", "subject", ...(cc === "" ? [] : ["cc"]), ...bodiesOf(mail).map(({ name }) => name)];
  return [
    { name: "to", value: headerOf(mail, "to") },
    { name: "from", value: headerOf(mail, "from") },
    ...(cc === "" ? [] : [{ name: "cc", value: cc }]),
    { name: "subject", value: mail.subject },
    { name: "sender_ip", value: mail.clientIp },
    { name: "envelope", value: jsonText({ to: [mail.recipient], from: mail.envelope.from }) },
    { name: "charsets", value: jsonText(Object.fromEntries(charsets.map((name) => [name, "UTF-8"]))) },
    { name: "SPF", value: mail.verdicts.spf },
    { name: "dkim", value: dkimOf(mail) },
    { name: "spam_score", value: mail.spam.score.toString() },
    { name: "spam_report", value: mail.spam.report },
  ];
}

function parsedParts(mail: InboundMail): readonly FormPart[] {
  const { attachments, rawHeaders } = mail;
  const ids = attachments.flatMap(({ contentId }, at) =>
    contentId === null ? [] : [[contentId, fieldName(at)] as const],
  );
  return [
    { name: "headers", value: rawHeaders.replaceAll(/\r\n?/g, "\n") },
    ...bodiesOf(mail),
    { name: "attachments", value: attachments.length.toString() },
    ...(attachments.length === 0 ? [] : [{ name: "attachment-info", value: jsonText(describe(attachments)) }]),
    ...(ids.length === 0 ? [] : [{ name: "content-ids", value: jsonText(Object.fromEntries(ids)) }]),
    ...attachments.map((file, at) => ({ name: fieldName(at), value: file.content, file })),
  ];
}

function bodiesOf({ text, html }: InboundMail): readonly FormPart[] {
  return [
    { name: "text", value: text },
    { name: "html", value: html },
  ].filter(({ value }) => value !== "");
}

function fieldName(position: number): string {
  return `attachment${position + 1}`;
}

function describe(attachments: readonly InboundAttachment[]): JsonObject {
  const entries = attachments.map(({ fileName, contentType, contentId }, at) => [
    fieldName(at),
    { filename: fileName, name: fileName, type: contentType, ...(contentId !== null && { "content-id": contentId }) },
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** Results by domain in a form that is not quite JSON: `{@example.com : pass}`. */
function dkimOf({ verdicts, from }: InboundMail): string {
  if (verdicts.dkim === "none") return "none";
  return `{@${from[0]?.address.split("@").at(-1) ?? ""} : ${verdicts.dkim}}`;
}
