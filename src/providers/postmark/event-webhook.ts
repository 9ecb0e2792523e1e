/** Postmark's webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview). */
import type {
  CallbackRequest,
  CallbackSigning,
  EventDetails,
  EventWebhooks,
  MailEvent,
  MailEventType,
  WebhookCredentials,
} from "../callbacks.ts";
import {
  basicAuthHeaders,
  derivedHex,
  givenBasicAuth,
  givenSecretHeader,
  jsonBody,
  newSecret,
  secretHeader,
  secretHeaderSetting,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { oneByOne, readerOf, usualBrowser } from "../kit/events.ts";
import { defaultStream } from "./request.ts";
import { instantText } from "./messages.ts";

/** Type of a bounce as events show it: https://postmarkapp.com/developer/api/bounce-api#bounce-types */
interface BounceType {
  readonly Type: string;
  readonly TypeCode: number;
  readonly Name: string;
  readonly Description: string;
}

const rows: readonly (readonly [type: string, code: number, name: string, description: string])[] = [
  ["HardBounce", 1, "Hard bounce", "The message cannot be delivered: the mailbox does not exist."],
  ["Transient", 2, "Message delayed", "The message cannot be delivered for the moment."],
  ["Unsubscribe", 16, "Unsubscribe request", "The recipient asks to be removed."],
  ["Subscribe", 32, "Subscribe request", "Somebody asks to be added."],
  ["AutoResponder", 64, "Auto responder", "An automatic response."],
  ["AddressChange", 128, "Address change", "The recipient has another address."],
  ["DnsError", 256, "DNS error", "The host of the recipient was not found for the moment."],
  ["SpamNotification", 512, "Spam notification", "The message was classified as spam."],
  ["OpenRelayTest", 1024, "Open relay test", "A test of whether the host relays mail."],
  ["Unknown", 2048, "Unknown", "The bounce has no known type."],
  ["SoftBounce", 4096, "Soft bounce", "The message cannot be delivered for the moment: the mailbox is full."],
  ["VirusNotification", 8192, "Virus notification", "The bounce contains a virus."],
  ["ChallengeVerification", 16384, "Spam challenge verification", "The recipient asks the sender for a confirmation."],
  ["BadEmailAddress", 100000, "Invalid email address", "The address is not valid."],
  ["SpamComplaint", 100001, "Spam complaint", "The recipient reported the message as spam."],
  ["ManuallyDeactivated", 100002, "Manually deactivated", "The recipient was deactivated."],
  ["Unconfirmed", 100003, "Registration not confirmed", "The subscription was not confirmed."],
  ["Blocked", 100006, "ISP block", "The host blocks the sender because of content or reputation."],
  ["SMTPApiError", 100007, "SMTP API error", "The message that was submitted by SMTP was not accepted."],
  ["InboundError", 100008, "Processing failed", "The inbound message could not be handed over."],
  ["DMARCPolicy", 100009, "DMARC policy", "The message was rejected because of the DMARC policy of its sender."],
  [
    "TemplateRenderingFailed",
    100010,
    "Template rendering failed",
    "The template of the message could not be rendered.",
  ],
];

/** Name in lower case → type. */
const types: ReadonlyMap<string, BounceType> = new Map(
  rows.map(([Type, TypeCode, Name, Description]) => [Type.toLowerCase(), { Type, TypeCode, Name, Description }]),
);

const testDomain = "bounce-testing.postmarkapp.com";
const byBounce = { hard: "hardbounce", soft: "softbounce", blocked: "blocked" } as const;
/** Returns whether the recipient is inactive after a bounce of this type. */
function deactivates({ Type }: BounceType): boolean {
  return ["HardBounce", "BadEmailAddress", "SpamComplaint", "ManuallyDeactivated"].includes(Type);
}

/**
 * Returns the type of the bounce that the address causes
 * (https://postmarkapp.com/support/article/1239-how-to-test-bounces); undefined for addresses of other domains.
 */
export function testBounceOf(recipient: string): BounceType | undefined {
  const [name = "", domain] = recipient.toLowerCase().split("@");
  if (domain !== testDomain) return undefined;
  return types.get(name.replaceAll(/[_-]/g, "")) ?? typeNamed("hardbounce");
}

/** Returns the type of the bounce that an event reports. */
function bounceTypeOf({ type, recipient, details }: MailEvent): BounceType {
  if (type === "complained") return typeNamed("spamcomplaint");
  return testBounceOf(recipient) ?? typeNamed(type === "deferred" ? "transient" : byBounce[details.bounce ?? "hard"]);
}

function typeNamed(name: string): BounceType {
  return types.get(name) ?? { Type: "Unknown", TypeCode: 2048, Name: "Unknown", Description: "" };
}

/** Returns the events that the address causes instead of a delivery; undefined for addresses of other domains. */
const testOutcomeOf: NonNullable<EventWebhooks["outcomeOf"]> = (recipient) => {
  const bounce = testBounceOf(recipient);
  if (bounce === undefined) return undefined;
  const outcome = (type: MailEventType, details: EventDetails = {}) => ({ type, details });
  if (bounce.Type === "SpamComplaint") return [outcome("delivered"), outcome("complained")];
  if (bounce.Type === "Transient") return [outcome("deferred")];
  if (bounce.Type === "Blocked") return [outcome("bounced", { bounce: "blocked" })];
  return [outcome("bounced", { bounce: deactivates(bounce) ? "hard" : "soft" })];
};

/** Members of the events that Postmark reports; a deferred mail is a bounce of the type Transient. */
const kinds: Partial<Readonly<Record<MailEventType, (event: MailEvent) => JsonObject>>> = {
  deferred: bounce,
  delivered: ({ recipient, at, details }) => ({
    RecordType: "Delivery",
    Recipient: recipient,
    DeliveredAt: instantText(at),
    Details: details.reason ?? "smtp;250 2.0.0 OK",
  }),
  bounced: bounce,
  opened: (event) => ({
    RecordType: "Open",
    FirstOpen: true,
    ...readerWire(event),
    ReadSeconds: 0,
    ...receivedBy(event),
  }),
  clicked: (event) => ({
    RecordType: "Click",
    ClickLocation: "HTML",
    OriginalLink: readerOf(event.details).url,
    ...readerWire(event),
    ...receivedBy(event),
  }),
  complained: bounce,
  unsubscribed: ({ recipient, at }) => ({
    RecordType: "SubscriptionChange",
    Recipient: recipient,
    ChangedAt: instantText(at),
    Origin: "Recipient",
    SuppressSending: true,
    SuppressionReason: "ManualSuppression",
  }),
};

/** Credentials of requests, which are not signed: Basic authentication, a header field, or both. */
export const credentials: WebhookCredentials = {
  settings: [
    {
      name: "basicAuth",
      description: "`user:password` of Basic authentication; made here unless one of both settings is given",
      isSecret: true,
    },
    secretHeaderSetting,
  ],
  verification: "Basic authentication or a header field with a secret; requests are not signed.",
  createSecrets: (given) => {
    const { basicAuth } = givenBasicAuth(given);
    const header = givenSecretHeader(given);
    const made = basicAuth ?? (header === undefined ? `postmark:${newSecret()}` : undefined);
    const secrets = { ...(made !== undefined && { basicAuth: made }), ...(header !== undefined && { header }) };
    return { secrets, publicKey: null, secret: made ?? header ?? null };
  },
  forge: (request) => {
    const isOwn = (name: string): boolean => !["User-Agent", "authorization"].includes(name);
    const headers = Object.entries(request.headers).map(([name, value]) =>
      isOwn(name) ? [name, derivedHex(32, name, value)] : [name, value],
    );
    const forged: CallbackRequest = { ...request, headers: Object.fromEntries(headers) as Record<string, string> };
    return "authorization" in request.headers ? withWrongCredentials(forged, "postmark") : forged;
  },
};

/** Postmark's events. */
export const postmarkEvents: EventWebhooks = {
  ...credentials,
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["delivered"],
  settings: [
    ...credentials.settings,
    { name: "messageStream", description: "value of `MessageStream`; `outbound` by default", isSecret: false },
  ],
  ...oneByOne((event, signing) => {
    const members = kinds[event.type]?.(event);
    if (members === undefined) throw new RangeError("Postmark has no such event");
    const body = jsonBody({ ...members, ...common(event, signing.options) });
    return { ...credentialHeaders(signing), contentType: "application/json; charset=utf-8", body };
  }),
  outcomeOf: testOutcomeOf,
};

function common({ mail }: MailEvent, { messageStream = "" }: CallbackSigning["options"]): JsonObject {
  return {
    ServerID: 1,
    MessageID: mail.providerId,
    MessageStream: messageStream === "" ? defaultStream : messageStream,
    Tag: mail.facts.tags[0] ?? "",
    Metadata: mail.facts.metadata,
  };
}

const reasons: Readonly<Record<string, string>> = {
  HardBounce: "smtp;550 5.1.1 The mailbox does not exist",
  Transient: "smtp;451 4.3.0 Try again later",
  SoftBounce: "smtp;552 5.2.2 The mailbox is full",
  Blocked: "smtp;550 5.7.1 The message was rejected by policy",
};

function bounce(event: MailEvent): JsonObject {
  const { id, type, recipient, at, mail, details } = event;
  const kind = bounceTypeOf(event);
  return {
    RecordType: type === "complained" ? "SpamComplaint" : "Bounce",
    ID: Number.parseInt(derivedHex(9, id), 16),
    ...kind,
    Details: details.reason ?? reasons[kind.Type] ?? "",
    Email: recipient,
    From: mail.from,
    BouncedAt: instantText(at),
    DumpAvailable: false,
    Inactive: deactivates(kind),
    CanActivate: type !== "complained",
    Subject: mail.subject,
  };
}

function readerWire({ details }: MailEvent): JsonObject {
  const { ip, userAgent } = readerOf(details, usualBrowser);
  const isKnown = userAgent === usualBrowser;
  const named = (Name: string, Company: string, Family: string): JsonObject =>
    isKnown ? { Name, Company, Family } : { Name: "unknown", Company: "unknown", Family: "unknown" };
  return {
    Client: named("Firefox 128.0", "Mozilla Foundation", "Firefox"),
    OS: named("Linux", "unknown", "Linux"),
    Platform: isKnown ? "Desktop" : "Unknown",
    UserAgent: userAgent,
    Geo: { IP: ip, City: "", Region: "", RegionISOCode: "", Country: "", CountryISOCode: "", Zip: "", Coords: "" },
  };
}

function receivedBy({ recipient, at }: MailEvent): JsonObject {
  return { Recipient: recipient, ReceivedAt: instantText(at) };
}

/** Returns the header fields of a request, and the name of the one with a secret value. */
export function credentialHeaders(
  signing: Pick<CallbackSigning, "secrets" | "url">,
): Pick<CallbackRequest, "headers" | "secretHeaders"> {
  const { headers, secretHeaders } = secretHeader(signing.secrets);
  return { headers: { "User-Agent": "Postmark", ...basicAuthHeaders(signing), ...headers }, secretHeaders };
}
