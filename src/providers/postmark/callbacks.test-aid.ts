/** Samples of Postmark's webhooks and of inbound mail. */
import type {
  EventSamples,
  InboundSamples,
  ReceivedEvent,
  ReceivedMail,
} from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest } from "../callbacks.ts";
import type { FieldTypes } from "../conformance/field-types.test-aid.ts";

const common: FieldTypes = {
  RecordType: "string",
  ServerID: "integer",
  MessageID: "string",
  MessageStream: "string",
  Tag: "string",
  Metadata: "map",
};
const bounce: FieldTypes = {
  ...common,
  ID: "integer",
  Type: "string",
  TypeCode: "integer",
  Name: "string",
  Description: "string",
  Details: "string",
  Email: "string",
  From: "string",
  BouncedAt: "string",
  DumpAvailable: "boolean",
  Inactive: "boolean",
  CanActivate: "boolean",
  Subject: "string",
};
const reading: FieldTypes = {
  ...common,
  ...program("Client"),
  ...program("OS"),
  Platform: "string",
  UserAgent: "string",
  Recipient: "string",
  ReceivedAt: "string",
  Geo: "object",
  "Geo.IP": "string",
  "Geo.City": "string",
  "Geo.Region": "string",
  "Geo.RegionISOCode": "string",
  "Geo.Country": "string",
  "Geo.CountryISOCode": "string",
  "Geo.Zip": "string",
  "Geo.Coords": "string",
};

function program(name: string): FieldTypes {
  const members = ["Name", "Company", "Family"].map((member) => [`${name}.${member}`, "string"] as const);
  return { [name]: "object", ...Object.fromEntries(members) };
}

const basicAuth = "hooks:correct horse";
const token = "s3cret-token";

/** Samples of the webhooks. */
export const eventSamples: EventSamples = {
  given: { basicAuth, header: `X-Webhook-Token: ${token}` },
  verify,
  altered,
  signsBody: false,
  read: ({ body }) => [readEvent(JSON.parse(Buffer.from(body).toString("utf8")) as Record<string, unknown>)],
  fields: {
    deferred: bounce,
    delivered: { ...common, Recipient: "string", DeliveredAt: "string", Details: "string" },
    bounced: bounce,
    opened: { ...reading, FirstOpen: "boolean", ReadSeconds: "integer" },
    clicked: { ...reading, ClickLocation: "string", OriginalLink: "string" },
    complained: bounce,
    unsubscribed: {
      ...common,
      Recipient: "string",
      ChangedAt: "string",
      Origin: "string",
      SuppressSending: "boolean",
      SuppressionReason: "string",
    },
  },
  showsTags: true,
  showsMetadata: true,
};

/** As a handler compares them: the credentials that it was configured with. */
function verify({ headers }: CallbackRequest, { created }: Parameters<EventSamples["verify"]>[1]): boolean {
  const expected = created.secret ?? "";
  const actual = Buffer.from((headers["authorization"] ?? "").replace(/^Basic /, ""), "base64").toString("utf8");
  return actual === expected && (expected !== basicAuth || headers["X-Webhook-Token"] === token);
}

function altered(request: CallbackRequest): Readonly<Record<string, CallbackRequest>> {
  const { headers } = request;
  return {
    password: { ...request, headers: { ...headers, authorization: `Basic ${btoa("hooks:wrong horse")}` } },
    "no credentials": { ...request, headers: {} },
    "header field": { ...request, headers: { ...headers, "X-Webhook-Token": "other" } },
  };
}

function readEvent(members: Readonly<Record<string, unknown>>): ReceivedEvent {
  return {
    members,
    type: String(members["RecordType"]),
    recipient: String(members["Recipient"] ?? members["Email"]),
    mailId: String(members["MessageID"]),
    tags: [String(members["Tag"])],
    metadata: members["Metadata"] as Record<string, unknown>,
  };
}

const inbound: FieldTypes = {
  FromName: "string",
  MessageStream: "string",
  From: "string",
  ...address("FromFull"),
  To: "string",
  ...addresses("ToFull"),
  Cc: "string",
  ...addresses("CcFull"),
  Bcc: "string",
  ...addresses("BccFull"),
  OriginalRecipient: "string",
  Subject: "string",
  MessageID: "string",
  ReplyTo: "string",
  MailboxHash: "string",
  Date: "string",
  TextBody: "string",
  HtmlBody: "string",
  StrippedTextReply: "string",
  Tag: "string",
  Headers: "array",
  "Headers[]": "object",
  "Headers[].Name": "string",
  "Headers[].Value": "string",
  Attachments: "array",
  "Attachments[]": "object",
  "Attachments[].Name": "string",
  "Attachments[].Content": "string",
  "Attachments[].ContentType": "string",
  "Attachments[].ContentLength": "integer",
  "Attachments[].ContentID": "string?",
};

function address(name: string): FieldTypes {
  return {
    [name]: "object",
    ...Object.fromEntries(["Email", "Name", "MailboxHash"].map((one) => [`${name}.${one}`, "string"])),
  };
}

function addresses(name: string): FieldTypes {
  // The list itself may be empty.
  return { [name]: "array", ...address(`${name}[]`) };
}

interface InboundBody {
  readonly Subject: string;
  readonly TextBody: string;
  readonly HtmlBody: string;
  readonly StrippedTextReply: string;
  readonly OriginalRecipient: string;
  readonly Attachments: readonly { readonly Name: string; readonly Content: string }[];
}

/** Samples of inbound mail. */
export const inboundSamples: InboundSamples = {
  given: { basicAuth, header: `X-Webhook-Token: ${token}` },
  verify,
  altered,
  signsBody: false,
  variants: [
    { title: "parsed", options: {}, read: readInbound, fields: inbound },
    {
      title: "with the whole mail",
      options: { rawEmail: "true" },
      read: readInbound,
      fields: { ...inbound, RawEmail: "string" },
    },
  ],
};

function readInbound({ body }: CallbackRequest): ReceivedMail {
  const members = JSON.parse(Buffer.from(body).toString("utf8")) as InboundBody;
  return {
    members,
    subject: members.Subject,
    text: members.TextBody,
    html: members.HtmlBody,
    strippedText: members.StrippedTextReply,
    recipient: members.OriginalRecipient,
    attachments: members.Attachments.map(({ Name, Content }) => ({
      fileName: Name,
      content: Buffer.from(Content, "base64"),
    })),
  };
}
