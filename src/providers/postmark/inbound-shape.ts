/** Postmark's inbound webhook (https://postmarkapp.com/developer/webhooks/inbound-webhook). */
import type { InboundAddress, InboundMail, InboundShape } from "../callbacks.ts";
import { jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { addressText } from "../inbound/mail-texts.ts";
import { credentialHeaders, credentials } from "./event-webhook.ts";

/** Mail as Postmark posts it. */
export const postmarkInbound: InboundShape = {
  name: "postmark",
  label: "Postmark inbound",
  ...credentials,
  settings: [
    {
      name: "rawEmail",
      description: "`true`: with the whole mail in `RawEmail`; Rails Action Mailbox needs it",
      isSecret: false,
      values: ["false", "true"],
    },
    ...credentials.settings,
  ],
  render: (mail, { rawEmail = "false" }, signing) => ({
    ...credentialHeaders(signing),
    contentType: "application/json; charset=utf-8",
    body: jsonBody({
      ...wireOf(mail),
      ...(rawEmail === "true" && { RawEmail: Buffer.from(mail.raw).toString("utf8") }),
    }),
  }),
};

function wireOf(mail: InboundMail): JsonObject {
  const { from, to, cc, recipient } = mail;
  const bcc = bccOf(mail);
  const [sender = { name: "", address: mail.envelope.from }] = from;
  return {
    FromName: sender.name,
    MessageStream: "inbound",
    From: sender.address,
    FromFull: fullAddress(sender),
    To: addressText(to),
    ToFull: to.map(fullAddress),
    Cc: addressText(cc),
    CcFull: cc.map(fullAddress),
    Bcc: addressText(bcc),
    BccFull: bcc.map(fullAddress),
    OriginalRecipient: recipient,
    Subject: mail.subject,
    MessageID: mail.id,
    ReplyTo: mail.replyTo,
    MailboxHash: mailboxHash(recipient),
    Date: mail.date,
    TextBody: mail.text,
    HtmlBody: mail.html,
    StrippedTextReply: mail.strippedText,
    Tag: "",
    Headers: headersOf(mail),
    Attachments: mail.attachments.map(({ fileName, contentType, contentId, content }) => ({
      Name: fileName,
      Content: Buffer.from(content).toString("base64"),
      ContentType: contentType,
      ContentLength: content.byteLength,
      ...(contentId !== null && { ContentID: contentId }),
    })),
  };
}

/** The recipient is in Bcc when the mail itself does not name it. */
function bccOf({ to, cc, bcc, recipient }: InboundMail): readonly InboundAddress[] {
  const own = recipient.toLowerCase();
  if ([...to, ...cc, ...bcc].some(({ address }) => address.toLowerCase() === own)) return bcc;
  return [...bcc, { name: "", address: recipient }];
}

function fullAddress({ name, address }: InboundAddress): Readonly<Record<string, string>> {
  return { Email: address, Name: name, MailboxHash: mailboxHash(address) };
}

/** Returns the part of the local part after the first plus sign. */
function mailboxHash(address: string): string {
  const at = address.lastIndexOf("@");
  const local = at === -1 ? address : address.slice(0, at);
  const plus = local.indexOf("+");
  return plus === -1 ? "" : local.slice(plus + 1);
}

/** Fields that have members of their own, or that describe the encoding. */
const shownElsewhere: ReadonlySet<string> = new Set(
  "from to cc bcc subject date reply-to return-path content-type content-transfer-encoding".split(" "),
);

function headersOf(mail: InboundMail): readonly { readonly Name: string; readonly Value: string }[] {
  const { envelope, spam, verdicts, clientIp } = mail;
  const own = [
    ["Return-Path", `<${envelope.from}>`],
    ["X-Spam-Checker-Version", "restante"],
    ["X-Spam-Status", spam.score >= 5 ? "Yes" : "No"],
    ["X-Spam-Score", spam.score.toString()],
    ["X-Spam-Tests", spam.report.replaceAll(/\s+/g, " ").slice(0, 1000)],
    ["Received-SPF", `${verdicts.spf} client-ip=${clientIp}; envelope-from=${envelope.from};`],
  ] as const;
  const others = mail.headers.filter(([name]) => !shownElsewhere.has(name.toLowerCase()));
  return [...own, ...others].map(([Name, Value]) => ({ Name, Value }));
}
