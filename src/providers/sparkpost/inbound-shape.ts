/** Relay webhooks of SparkPost: https://developers.sparkpost.com/api/relay-webhooks/ */
import type { InboundMail, InboundShape } from "../callbacks.ts";
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidToDecimal } from "../formats/uuid.ts";
import { credentialHeaders, sparkPostCredentials } from "./webhook.ts";

/** Relay webhooks of SparkPost. */
export const sparkPostInboundShape: InboundShape = {
  name: "sparkpost",
  label: "SparkPost relay webhook",
  ...sparkPostCredentials,
  render: (mail, _options, signing) => ({
    ...credentialHeaders(signing, derivedHex(32, mail.id)),
    contentType: "application/json",
    body: jsonBody([{ msys: { relay_message: relayWire(mail, signing.target) } }]),
  }),
};

function relayWire(mail: InboundMail, target: string): JsonObject {
  const raw = Buffer.from(mail.raw);
  const text = raw.toString("utf8");
  // Bytes that are no UTF-8 need base64.
  const isText = Buffer.from(text, "utf8").equals(raw);
  const [from] = mail.from;
  return {
    content: {
      email_rfc822: isText ? text : raw.toString("base64"),
      email_rfc822_is_base64: !isText,
      headers: mail.headers.map(([name, value]) => ({ [name]: value })),
      html: mail.html,
      subject: mail.subject,
      text: mail.text,
      to: mail.to.map(({ address }) => address),
      ...(mail.cc.length > 0 && { cc: mail.cc.map(({ address }) => address) }),
    },
    customer_id: "1",
    friendly_from: from?.address ?? mail.envelope.from,
    msg_from: mail.envelope.from,
    rcpt_to: mail.recipient,
    protocol: "smtp",
    webhook_id: uuidToDecimal(target),
  };
}
