/** Samples of the notifications of Amazon SES. */
import type {
  CallbackSamples,
  EventSamples,
  InboundSamples,
  InboundVariant,
} from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";
import { acceptsMessage } from "../sns/validate-message.test-aid.ts";

type Members = Readonly<Record<string, unknown>>;

const endpoint = "https://sns.us-east-1.amazonaws.com";

/** Members of the envelope of Amazon SNS. */
const envelope: FieldTypes = {
  Type: "string",
  MessageId: "string",
  TopicArn: "string",
  Subject: "string",
  Message: "object",
  Timestamp: "string",
  SignatureVersion: "string",
  Signature: "string",
  SigningCertURL: "string",
  UnsubscribeURL: "string",
};

const mail: FieldTypes = inMessage({
  mail: "object",
  "mail.timestamp": "string",
  "mail.messageId": "string",
  "mail.source": "string",
  "mail.destination": "array",
  "mail.destination[]": "string",
  "mail.headersTruncated": "boolean",
  "mail.headers": "array",
  "mail.headers[]": "object",
  "mail.headers[].name": "string",
  "mail.headers[].value": "string",
  "mail.commonHeaders": "object",
  "mail.commonHeaders.from": "array?",
  "mail.commonHeaders.from[]": "string",
  "mail.commonHeaders.to": "array?",
  "mail.commonHeaders.to[]": "string",
  "mail.commonHeaders.cc": "array?",
  "mail.commonHeaders.cc[]": "string",
  "mail.commonHeaders.messageId": "string?",
  "mail.commonHeaders.subject": "string?",
});

const published: FieldTypes = {
  ...envelope,
  ...mail,
  ...inMessage({
    eventType: "string",
    "mail.sourceArn": "string",
    "mail.sendingAccountId": "string",
    "mail.tags": "map",
  }),
};

const feedbackMember = { feedbackId: "string", timestamp: "string" };
const client = { ipAddress: "string", timestamp: "string", userAgent: "string" };
const preferences = {
  unsubscribeAll: "boolean",
  topicSubscriptionStatus: "array",
  "topicSubscriptionStatus[]": "object",
  "topicSubscriptionStatus[].topicName": "string",
  "topicSubscriptionStatus[].subscriptionStatus": "string",
};

const shared: CallbackSamples = {
  given: {},
  options: { endpoint },
  verify: async (request, { created }) => acceptsMessage(request, created.publicKey ?? ""),
  altered: (request) => ({
    message: withMember(request, "Message", "{}"),
    timestamp: withMember(request, "Timestamp", "2026-11-20T00:00:00.000Z"),
    topic: withMember(request, "TopicArn", "arn:aws:sns:us-east-1:123456789012:other"),
    type: withMember(request, "Type", "UnsubscribeConfirmation"),
    "address of the certificate": withMember(request, "SigningCertURL", "https://sns.evil.example/x.pem"),
  }),
  // White space, the order of members and UnsubscribeURL are not signed.
  signsBody: false,
};

/** Samples of events of a configuration set. */
export const eventSamples: EventSamples = {
  ...shared,
  read: (request) => {
    const { members, record } = readEnvelope(request);
    const { mail: about, ...rest } = record as { mail: { messageId: string; tags: Record<string, string[]> } };
    return [
      {
        members,
        type: String(record["eventType"]),
        recipient: recipientOf(rest) ?? lastOf(record),
        mailId: about.messageId,
        tags: [],
        metadata: Object.fromEntries(Object.entries(about.tags).map(([name, [value]]) => [name, value])),
      },
    ];
  },
  fields: {
    processed: withMembers("send", {}),
    dropped: withMembers("reject", { reason: "string" }),
    deferred: withMembers("deliveryDelay", {
      timestamp: "string",
      delayType: "string",
      expirationTime: "string",
      reportingMTA: "string",
      ...recipients("delayedRecipients", { status: "string", diagnosticCode: "string" }),
    }),
    delivered: withMembers("delivery", {
      timestamp: "string",
      processingTimeMillis: "integer",
      recipients: "array",
      "recipients[]": "string",
      smtpResponse: "string",
      reportingMTA: "string",
    }),
    bounced: withMembers("bounce", {
      ...feedbackMember,
      bounceType: "string",
      bounceSubType: "string",
      reportingMTA: "string",
      ...recipients("bouncedRecipients", { action: "string", status: "string", diagnosticCode: "string" }),
    }),
    opened: withMembers("open", client),
    clicked: withMembers("click", { ...client, link: "string", linkTags: "map|null" }),
    complained: withMembers("complaint", {
      ...feedbackMember,
      complaintSubType: "string|null",
      userAgent: "string",
      complaintFeedbackType: "string",
      arrivalDate: "string",
      ...recipients("complainedRecipients", {}),
    }),
    unsubscribed: withMembers("subscription", {
      contactList: "string",
      timestamp: "string",
      source: "string",
      ...prefixed("newTopicPreferences", preferences),
      ...prefixed("oldTopicPreferences", preferences),
    }),
  },
  showsTags: false,
  showsMetadata: true,
};

/** Samples of receipt notifications. */
export const inboundSamples: InboundSamples = {
  ...shared,
  variants: [variant("content as text", {}), variant("content in base64", { encoding: "Base64" })],
};

function variant(title: string, options: Readonly<Record<string, string>>): InboundVariant {
  const isBase64 = options["encoding"] === "Base64";
  return {
    title,
    options: { endpoint, ...options },
    read: (request) => {
      const { members, record } = readEnvelope(request);
      const content = String(record["content"]);
      const { commonHeaders } = record["mail"] as { commonHeaders: { readonly subject?: string } };
      const { recipients: to } = record["receipt"] as { recipients: readonly string[] };
      return {
        members,
        subject: commonHeaders.subject ?? "",
        recipient: to[0] ?? "",
        // Bytes that are not UTF-8 are lost in text.
        ...(content.includes("\uFFFD") ? {} : { raw: Buffer.from(content, isBase64 ? "base64" : "utf8") }),
      };
    },
    fields: {
      ...envelope,
      ...mail,
      ...inMessage({
        notificationType: "string",
        content: "string",
        "mail.commonHeaders.returnPath": "string",
        "mail.commonHeaders.replyTo": "array?",
        "mail.commonHeaders.replyTo[]": "string",
        "mail.commonHeaders.date": "string?",
        ...prefixed("receipt", {
          timestamp: "string",
          processingTimeMillis: "integer",
          recipients: "array",
          "recipients[]": "string",
          ...prefixed("spamVerdict", { status: "string" }),
          ...prefixed("virusVerdict", { status: "string" }),
          ...prefixed("spfVerdict", { status: "string" }),
          ...prefixed("dkimVerdict", { status: "string" }),
          ...prefixed("dmarcVerdict", { status: "string" }),
          ...prefixed("action", { type: "string", topicArn: "string", encoding: "string" }),
        }),
      }),
    },
  };
}

function withMembers(name: string, members: FieldTypes): FieldTypes {
  return { ...published, ...inMessage(prefixed(name, members)) };
}

function recipients(name: string, members: FieldTypes): FieldTypes {
  const inside = Object.entries({ emailAddress: "string", ...members }).map(([key, type]) => [
    `${name}[].${key}`,
    type,
  ]);
  return { [name]: "array", [`${name}[]`]: "object", ...(Object.fromEntries(inside) as FieldTypes) };
}

function prefixed(name: string, members: FieldTypes): FieldTypes {
  const inside = Object.entries(members).map(([key, type]) => [`${name}.${key}`, type]);
  return { [name]: "object", ...(Object.fromEntries(inside) as FieldTypes) };
}

function inMessage(members: FieldTypes): FieldTypes {
  return Object.fromEntries(Object.entries(members).map(([key, type]) => [`Message.${key}`, type]));
}

/** Returns the envelope with the JSON of its message in place of the text. */
function readEnvelope({ body }: CallbackRequest): { readonly members: Members; readonly record: Members } {
  const outer = JSON.parse(Buffer.from(body).toString("utf8")) as Members;
  const record = JSON.parse(String(outer["Message"])) as Members;
  return { members: { ...outer, Message: record }, record };
}

/** Returns the recipient that the record of the event names, of those records that do. */
function recipientOf(record: Members): string | undefined {
  const lists = Object.values(record).flatMap((member) =>
    Object.entries((member ?? {}) as Members).flatMap(([name, value]) =>
      name.toLowerCase().endsWith("recipients") ? [value] : [],
    ),
  );
  const [first] = (lists[0] ?? []) as readonly (string | { readonly emailAddress: string })[];
  return typeof first === "object" ? first.emailAddress : first;
}

/** Records without recipients are about the destination. */
function lastOf({ mail: about }: Members): string {
  return (about as { readonly destination: readonly string[] }).destination.at(-1) ?? "";
}

function withMember(request: CallbackRequest, name: string, value: string): CallbackRequest {
  const outer = JSON.parse(Buffer.from(request.body).toString("utf8")) as Members;
  return { ...request, body: Buffer.from(JSON.stringify({ ...outer, [name]: value })) };
}
