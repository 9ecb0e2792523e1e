/** Postmark's webhooks (https://postmarkapp.com/developer/webhooks/webhooks-overview). */
import { derivedHex, jsonBody } from "../formats/callback-values.ts";
import type { CallbackSigning, EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import { bounceTypeOf, deactivates, testOutcomeOf } from "./bounce-types.ts";
import { defaultStream } from "./request.ts";
import { instantText } from "./response.ts";
import {
  createCredentials,
  credentialHeaders,
  credentialSettings,
  credentialVerification,
  forgeCredentials,
} from "./webhook-credentials.ts";

type Members = Readonly<Record<string, unknown>>;

/** Types that Postmark reports → members of the event; a deferred mail is a bounce of the type Transient. */
const kinds: ReadonlyMap<MailEventType, (event: MailEvent) => Members> = new Map([
  ["deferred", bounce],
  ["delivered", delivery],
  ["bounced", bounce],
  ["opened", open],
  ["clicked", click],
  ["complained", bounce],
  ["unsubscribed", unsubscription],
]);

/** Postmark's events. */
export const postmarkEvents: EventWebhooks = {
  types: [...kinds.keys()],
  automatic: ["delivered"],
  batchCountMax: 1,
  settings: [
    ...credentialSettings,
    { name: "messageStream", description: "value of `MessageStream`; `outbound` by default", isSecret: false },
  ],
  verification: credentialVerification,
  createSecrets: createCredentials,
  render: ([event], signing) => {
    const members = event === undefined ? undefined : kinds.get(event.type)?.(event);
    if (event === undefined || members === undefined) throw new Error("Postmark has no such event");
    const body = jsonBody({ ...members, ...common(event, signing.options) });
    return { ...credentialHeaders(signing), contentType: "application/json; charset=utf-8", body };
  },
  forge: forgeCredentials,
  outcomeOf: testOutcomeOf,
};

function common({ mail }: MailEvent, { messageStream = "" }: CallbackSigning["options"]): Members {
  return {
    ServerID: 1,
    MessageID: mail.providerId,
    MessageStream: messageStream === "" ? defaultStream : messageStream,
    Tag: mail.facts.tags[0] ?? "",
    Metadata: mail.facts.metadata,
  };
}

function delivery({ recipient, at, details }: MailEvent): Members {
  return {
    RecordType: "Delivery",
    Recipient: recipient,
    DeliveredAt: instantText(at),
    Details: details.reason ?? "smtp;250 2.0.0 OK",
  };
}

const reasons: Readonly<Record<string, string>> = {
  HardBounce: "smtp;550 5.1.1 The mailbox does not exist",
  Transient: "smtp;451 4.3.0 Try again later",
  SoftBounce: "smtp;552 5.2.2 The mailbox is full",
  Blocked: "smtp;550 5.7.1 The message was rejected by policy",
};

function bounce(event: MailEvent): Members {
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

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

function reading({ ip = "192.0.2.1", userAgent = browser }: EventDetails): Members {
  const isKnown = userAgent === browser;
  const named = (Name: string, Company: string, Family: string): Members =>
    isKnown ? { Name, Company, Family } : { Name: "unknown", Company: "unknown", Family: "unknown" };
  return {
    Client: named("Firefox 128.0", "Mozilla Foundation", "Firefox"),
    OS: named("Linux", "unknown", "Linux"),
    Platform: isKnown ? "Desktop" : "Unknown",
    UserAgent: userAgent,
    Geo: { IP: ip, City: "", Region: "", RegionISOCode: "", Country: "", CountryISOCode: "", Zip: "", Coords: "" },
  };
}

function open({ recipient, at, details }: MailEvent): Members {
  return {
    RecordType: "Open",
    FirstOpen: true,
    ...reading(details),
    ReadSeconds: 0,
    Recipient: recipient,
    ReceivedAt: instantText(at),
  };
}

function click({ recipient, at, details }: MailEvent): Members {
  return {
    RecordType: "Click",
    ClickLocation: "HTML",
    OriginalLink: details.url ?? "https://example.com/",
    ...reading(details),
    Recipient: recipient,
    ReceivedAt: instantText(at),
  };
}

function unsubscription({ recipient, at }: MailEvent): Members {
  return {
    RecordType: "SubscriptionChange",
    Recipient: recipient,
    ChangedAt: instantText(at),
    Origin: "Recipient",
    SuppressSending: true,
    SuppressionReason: "ManualSuppression",
  };
}
