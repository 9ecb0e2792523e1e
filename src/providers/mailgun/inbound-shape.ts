/** Mailgun routes that forward to a URL (https://documentation.mailgun.com/docs/mailgun/user-manual/receive-forward-store). */
import type { FormFields } from "../../core/read-form.ts";
import type { CallbackRequest, InboundMail, InboundShape } from "../callbacks.ts";
import { jsonText } from "../formats/callback-values.ts";
import { fieldParts, writeMultipart, writeUrlEncoded, type FormPart } from "../formats/form-body.ts";
import { headerOf } from "../inbound/mail-texts.ts";
import { forgedSignature, requestHeaders, signature, signatureOf } from "./event-webhook.ts";
import { textOfHtml } from "../formats/html-text.ts";

/** Score from which on mail has the flag. */
const spamScoreMin = 5;
/** Names of header fields that are names of form fields too; unusual ones are in `message-headers` only. */
const fieldName = /^[A-Za-z][\w-]{0,100}$/;

/** Mail as routes of Mailgun post it. */
export const mailgunInbound: InboundShape = {
  name: "mailgun",
  label: "Mailgun routes",
  ...signature,
  settings: [
    {
      name: "mime",
      description: "`true`: the whole mail in the field `body-mime`, as for URLs that end in `mime`",
      isSecret: false,
      values: ["false", "true"],
    },
    ...signature.settings,
  ],
  render: (mail, { mime = "false" }, signing) => {
    const isMime = mime === "true" || signing.url.split(/[?#]/, 1)[0]?.endsWith("mime") === true;
    const { recipient, envelope, subject } = mail;
    const common = fieldParts({ recipient, sender: envelope.from, from: headerOf(mail, "from"), subject });
    const signed = fieldParts({ ...signatureOf(signing, mail.id) });
    const headers = requestHeaders(signing);
    if (isMime)
      return { headers, ...writeUrlEncoded([...common, ...signed, ...fieldParts({ "body-mime": mail.raw })]) };
    const parts = [...common, ...parsedParts(mail), ...signed];
    // Mailgun uses multipart/form-data for mail with attachments only.
    if (mail.attachments.length === 0) return { headers, ...writeUrlEncoded(parts) };
    return { headers, ...writeMultipart([...parts, ...fileParts(mail)]) };
  },
  forge,
};

function parsedParts(mail: InboundMail): readonly FormPart[] {
  const headers = headersOf(mail);
  return [
    ...headers.filter(([name]) => fieldName.test(name)).map(([name, value]) => ({ name, value })),
    ...fieldParts({
      "message-headers": jsonText(headers),
      // Always present: Mailgun makes the text of mail that has HTML only.
      "body-plain": mail.text || textOfHtml(mail.html),
      "stripped-text": mail.text === "" ? textOfHtml(mail.strippedHtml) : mail.strippedText,
      "body-html": mail.html || null,
      "stripped-html": mail.strippedHtml || null,
      "stripped-signature": mail.strippedSignature || null,
    }),
  ];
}

/** Header fields of the mail with the names that Mailgun gives them, after its own ones; each is also a field of the form. */
function headersOf({ headers, envelope, verdicts, spam }: InboundMail): FormFields {
  const spamFlag = spam.score >= spamScoreMin ? "Yes" : "No";
  return [
    ["X-Mailgun-Incoming", "Yes"],
    ["X-Mailgun-Sflag", spamFlag],
    ["X-Mailgun-Sscore", spam.score.toString()],
    ["X-Mailgun-Spf", capitalised(verdicts.spf)],
    ["X-Mailgun-Dkim-Check-Result", capitalised(verdicts.dkim)],
    ["X-Envelope-From", `<${envelope.from}>`],
    ...headers.map(([name, value]) => [name.split("-").map(capitalised).join("-"), value] as const),
  ];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

function fileParts({ attachments }: InboundMail): readonly FormPart[] {
  const ids = attachments.flatMap(({ contentId }, at) =>
    contentId === null ? [] : [[`<${contentId}>`, `attachment-${at + 1}`] as const],
  );
  return [
    ...fieldParts({
      "attachment-count": attachments.length.toString(),
      "content-id-map": ids.length === 0 ? null : jsonText(Object.fromEntries(ids)),
    }),
    ...attachments.map((file, at) => ({ name: `attachment-${at + 1}`, value: file.content, file })),
  ];
}

/** Replaces the signature in the form by another one of the same length. */
function forge(request: CallbackRequest): CallbackRequest {
  const body = Buffer.from(request.body);
  const boundary = /boundary=(.*)$/.exec(request.contentType)?.[1];
  const before =
    boundary === undefined
      ? "&signature="
      : `--${boundary}\r\nContent-Disposition: form-data; name="signature"\r\n\r\n`;
  const start = body.indexOf(before) + before.length;
  body.write(forgedSignature(body.toString("latin1", start, start + 64)), start, "latin1");
  return { ...request, body };
}
