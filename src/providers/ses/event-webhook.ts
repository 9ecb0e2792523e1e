/**
 * Events of Amazon SES, which arrive as notifications of Amazon SNS, and mail as a receipt rule publishes it to a topic, with
 * the content inline: https://docs.aws.amazon.com/ses/latest/dg/receiving-email-notifications-contents.html
 */
import { outcomeOfTestAddress } from "../kit/events.ts";
import { mailEventTypes, type EventWebhooks } from "../callbacks.ts";
import type { InboundAddress, InboundMail, InboundShape } from "../callbacks.ts";
import { jsonBody } from "../formats/callback-values.ts";
import { digitsOfUuid } from "../formats/uuid.ts";
import { notificationRequest, topicCredentials, topicOf, topicSettingsOf } from "../sns/notifications.ts";
import { feedbackRecord, feedbackTypes, publishedRecord } from "./event-record.ts";

const publishedSubject = "Amazon SES Email Event Notification";

/** https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html, section on the mailbox simulator. */
const outcomes = {
  success: [{ type: "processed" }, { type: "delivered" }],
  bounce: [{ type: "processed" }, { type: "bounced" }],
  ooto: [{ type: "processed" }, { type: "delivered" }],
  complaint: [{ type: "processed" }, { type: "delivered" }, { type: "complained" }],
  suppressionlist: [{ type: "processed" }, { type: "bounced", details: { bounce: "blocked" } }],
} as const;

/** Events of Amazon SES. */
export const sesEvents: EventWebhooks = {
  types: mailEventTypes,
  typesOf: ({ format }) => (format === "feedback" ? feedbackTypes : mailEventTypes),
  automatic: ["processed", "delivered"],
  batchCountMax: 1,
  ...topicCredentials({
    name: "format",
    description:
      "`events` sends records of a configuration set's event destination (`eventType`), `feedback` the notifications of an " +
      "identity (`notificationType`), which exist for deliveries, bounces and complaints",
    isSecret: false,
    values: ["events", "feedback"],
  }),
  render: ([event], signing) => {
    if (event === undefined) throw new RangeError("No event to render");
    const { region } = topicSettingsOf(signing);
    const isFeedback = signing.options["format"] === "feedback";
    const record = isFeedback ? feedbackRecord(event, region) : publishedRecord(event, region);
    return notificationRequest(
      {
        messageId: event.id,
        subject: isFeedback ? null : publishedSubject,
        // Records of event publishing end with a line feed.
        message: `${Buffer.from(jsonBody(record)).toString("utf8")}${isFeedback ? "" : "\n"}`,
      },
      signing,
    );
  },
  outcomeOf: (recipient) => outcomeOfTestAddress(recipient, "simulator.amazonses.com", outcomes),
};

type Wire = Readonly<Record<string, unknown>>;

const receiptSubject = "Amazon SES Email Receipt Notification";
/** Score from which SpamAssassin reports a mail as spam. */
const spamScore = 5;
const idLength = 40;

/** Receipt notifications of Amazon SES. */
export const sesInboundShape: InboundShape = {
  name: "ses",
  label: "Amazon SES receipt rule with an SNS action",
  ...topicCredentials({
    name: "encoding",
    description: "Encoding of the content: `UTF-8` as text, `Base64` for mail with other bytes",
    isSecret: false,
    values: ["UTF-8", "Base64"],
  }),
  render: (mail, options, signing) => {
    const isBase64 = options["encoding"] === "Base64";
    const record = {
      notificationType: "Received",
      mail: mailWire(mail),
      receipt: receiptWire(mail, { topicArn: topicOf(options), encoding: isBase64 ? "BASE64" : "UTF8" }),
      content: Buffer.from(mail.raw).toString(isBase64 ? "base64" : "utf8"),
    };
    return notificationRequest(
      { messageId: mail.id, subject: receiptSubject, message: Buffer.from(jsonBody(record)).toString("utf8") },
      signing,
    );
  },
};

function mailWire(mail: InboundMail): Wire {
  const { receivedAt, envelope, headers } = mail;
  return {
    timestamp: new Date(receivedAt).toISOString(),
    source: envelope.from,
    messageId: sesIdOf(mail.id),
    destination: envelope.to,
    headersTruncated: false,
    headers: headers.map(([name, value]) => ({ name, value })),
    commonHeaders: commonHeadersWire(mail),
  };
}

/** Absent header fields have no member. */
function commonHeadersWire({ envelope, from, to, cc, replyTo, date, messageId, subject: text }: InboundMail): Wire {
  const lists = { from, to, cc };
  const texts = { date, messageId, subject: text };
  return {
    returnPath: envelope.from,
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, list]) => (list.length === 0 ? [] : [[name, list.map(mailboxText)]])),
    ),
    ...(replyTo !== "" && { replyTo: [replyTo] }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== "")),
  };
}

function mailboxText({ name, address }: InboundAddress): string {
  if (name === "") return address;
  return /^[\w !#$%&'*+/=?^`{|}~-]*$/.test(name)
    ? `${name} <${address}>`
    : `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}" <${address}>`;
}

function receiptWire(mail: InboundMail, action: Wire): Wire {
  const { receivedAt, recipient, spam, verdicts } = mail;
  return {
    timestamp: new Date(receivedAt).toISOString(),
    processingTimeMillis: 0,
    recipients: [recipient],
    spamVerdict: { status: spam.score >= spamScore ? "FAIL" : "PASS" },
    virusVerdict: { status: "PASS" },
    spfVerdict: { status: verdictOf(verdicts.spf) },
    dkimVerdict: { status: verdictOf(verdicts.dkim) },
    dmarcVerdict: { status: verdictOf(verdicts.dmarc) },
    action: { type: "SNS", ...action },
  };
}

/** Returns the status for a result of authentication (RFC 8601 §2.7): `none` and `neutral` are `GRAY`. */
function verdictOf(result: string): string {
  if (result === "pass") return "PASS";
  if (/^(?:fail|softfail|permerror|policy)$/.test(result)) return "FAIL";
  return result === "temperror" ? "PROCESSING_FAILED" : "GRAY";
}

/** Returns the id that Amazon SES gives inbound mail: 40 letters and digits. */
function sesIdOf(uuid: string): string {
  return BigInt(`0x${digitsOfUuid(uuid)}`)
    .toString(36)
    .padStart(idLength, "0");
}
