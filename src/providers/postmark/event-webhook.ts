/** Postmark's webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview). */
import type {
  CallbackRequest,
  CallbackSecrets,
  CallbackSigning,
  EventWebhooks,
  MailEvent,
  MailEventType,
  NewSecrets,
  WebhookCredentials,
} from "../callbacks.ts";
import {
  basicAuthHeaders,
  derivedHex,
  givenBasicAuth,
  givenSecret,
  jsonBody,
  newSecret,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { oneByOne, readerOf, usualBrowser } from "../kit/events.ts";
import { bounceTypeOf, deactivates, testOutcomeOf } from "./bounce-types.ts";
import { defaultStream } from "./request.ts";
import { instantText } from "./response.ts";

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
    { name: "header", description: "header field with a secret value, `X-Token: value`", isSecret: true },
  ],
  verification: "Basic authentication or a header field with a secret; requests are not signed.",
  createSecrets: createCredentials,
  forge: forgeCredentials,
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
    Type: kind.type,
    TypeCode: kind.code,
    Name: kind.name,
    Description: kind.description,
    Details: details.reason ?? reasons[kind.type] ?? "",
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

/** Takes the credentials of the user, or makes a password. */
function createCredentials(given: CallbackSecrets): NewSecrets {
  const { basicAuth } = givenBasicAuth(given);
  const header = givenSecret(given, "header", {
    pattern:
      /^(?!(?:authorization|host|connection|content-|transfer-|te:|upgrade))[!#$%&'*+.^_`|~\w-]{1,100}: ?[\x21-\x7e](?:[\x20-\x7e]{0,298}[\x21-\x7e])?$/i,
    form: "`Name: value` in ASCII, and no field that HTTP itself uses",
  });
  const made = basicAuth ?? (header === undefined ? `postmark:${newSecret()}` : undefined);
  const secrets = { ...(made !== undefined && { basicAuth: made }), ...(header !== undefined && { header }) };
  return { secrets, publicKey: null, secret: made ?? header ?? null };
}

/** Returns the header fields of a request, and the name of the one with a secret value. */
export function credentialHeaders(
  signing: Pick<CallbackSigning, "secrets" | "url">,
): Pick<CallbackRequest, "headers" | "secretHeaders"> {
  const { header } = signing.secrets;
  const headers = { "User-Agent": "Postmark", ...basicAuthHeaders(signing) };
  if (header === undefined) return { headers };
  const colon = header.indexOf(":");
  const name = header.slice(0, colon);
  return { headers: { ...headers, [name]: header.slice(colon + 1).trim() }, secretHeaders: [name.toLowerCase()] };
}

/** Returns the request with other credentials. */
function forgeCredentials(request: CallbackRequest): CallbackRequest {
  const isOwn = (name: string): boolean => !["User-Agent", "authorization"].includes(name);
  const headers = Object.entries(request.headers).map(([name, value]) =>
    isOwn(name) ? [name, derivedHex(32, name, value)] : [name, value],
  );
  const forged: CallbackRequest = { ...request, headers: Object.fromEntries(headers) as Record<string, string> };
  return "authorization" in request.headers ? withWrongCredentials(forged, "postmark") : forged;
}
