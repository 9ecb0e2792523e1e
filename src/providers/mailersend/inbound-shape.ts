/** MailerSend's inbound routes that forward to a URL: https://developers.mailersend.com/api/v1/inbound */
import type { InboundAddress, InboundMail, InboundShape } from "../callbacks.ts";
import { derivedHex } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { addressText } from "../inbound/mail-texts.ts";
import { instantText } from "./response.ts";
import { signature, signedRequest } from "./webhook-request.ts";

/** Mail as inbound routes of MailerSend post it. */
export const mailerSendInbound: InboundShape = {
  name: "mailersend",
  label: "MailerSend inbound",
  ...signature.credentials,
  render: (mail, _options, signing) =>
    signedRequest(
      {
        type: "inbound.message",
        inbound_id: derivedHex(16, signing.target),
        url: signing.url,
        created_at: instantText(mail.receivedAt),
        data: messageOf(mail),
      },
      signing,
    ),
};

/** Signs of SPF results (RFC 7208 §4.6.2). */
const spfCodes: ReadonlyMap<string, string> = new Map([
  ["pass", "+"],
  ["fail", "-"],
  ["softfail", "~"],
  ["neutral", "?"],
]);

function messageOf(mail: InboundMail): JsonObject {
  const { from, to, cc, recipient, envelope, verdicts } = mail;
  const [sender = { name: "", address: envelope.from }] = from;
  return {
    object: "message",
    id: derivedHex(24, mail.id),
    recipients: {
      rcptTo: [{ email: recipient }],
      to: addressesOf(to),
      ...(cc.length > 0 && { cc: addressesOf(cc) }),
    },
    from: { ...addressOf(sender), raw: addressText([sender]) },
    sender: { email: envelope.from },
    subject: mail.subject,
    date: mail.date,
    headers: headersOf(mail.rawHeaders),
    text: mail.text,
    html: mail.html,
    raw: Buffer.from(mail.raw).toString("utf8"),
    attachments: mail.attachments.map(({ fileName, contentType, contentId, isInline, content }) => ({
      file_name: fileName,
      content_type: contentType,
      content_disposition: isInline ? "inline" : "attachment",
      ...(contentId !== null && { content_id: contentId }),
      size: content.byteLength,
      content: Buffer.from(content).toString("base64"),
    })),
    spf_check: { code: spfCodes.get(verdicts.spf) ?? "", value: null },
    dkim_check: verdicts.dkim === "pass",
    created_at: instantText(mail.receivedAt),
  };
}

function addressesOf(addresses: readonly InboundAddress[]): JsonObject {
  return { raw: addressText(addresses), data: addresses.map(addressOf) };
}

function addressOf({ name, address }: InboundAddress): JsonObject {
  return { email: address, name };
}

/** Returns header fields as they were received, by name; fields that occur several times are arrays. */
function headersOf(section: string): JsonObject {
  const fields = section.split(/\r?\n(?![ \t])/).flatMap((line) => {
    const colon = line.indexOf(":");
    return colon <= 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()] as const];
  });
  const byName = Map.groupBy(fields, ([name]) => name);
  return Object.fromEntries(
    Array.from(byName, ([name, own]) => {
      const values = own.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
