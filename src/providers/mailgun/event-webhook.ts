/** Mailgun's webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks). */
import { createHmac } from "node:crypto";
import type {
  CallbackSecrets,
  CallbackSigning,
  EventDetails,
  EventWebhooks,
  MailEvent,
  MailEventType,
  NewSecrets,
  WebhookCredentials,
} from "../callbacks.ts";
import {
  basicAuthHeaders,
  basicAuthSetting,
  derivedHex,
  givenBasicAuth,
  givenSecret,
  jsonBody,
  newSecret,
} from "../formats/callback-values.ts";
import { readJson, type JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { oneByOne, readerOf, usualBrowser } from "../kit/events.ts";
import { accepted, delivered, deliveryFlags, eventMembers, hostStatus, mailMembers, type EventMail } from "./event.ts";

/** Rendering of a type. */
interface Kind {
  readonly event: string;
  readonly level: "info" | "warn" | "error";
  /** JsonObject that show the mail: all of them, its header fields, or the Message-ID alone. */
  readonly mail: "stored" | "fields" | "id";
  readonly members: (details: EventDetails) => JsonObject;
}

const kinds: Readonly<Record<MailEventType, Kind>> = {
  processed: { event: "accepted", level: "info", mail: "stored", members: () => accepted },
  dropped: { event: "failed", level: "error", mail: "stored", members: dropped },
  deferred: { event: "failed", level: "warn", mail: "stored", members: deferred },
  delivered: {
    event: "delivered",
    level: "info",
    mail: "stored",
    members: ({ code = 250, reason = "OK" }) => delivered(code, reason),
  },
  bounced: { event: "failed", level: "error", mail: "stored", members: bounced },
  opened: { event: "opened", level: "info", mail: "id", members: reading },
  clicked: {
    event: "clicked",
    level: "info",
    mail: "id",
    members: (details) => ({ ...reading(details), url: readerOf(details).url }),
  },
  complained: {
    event: "complained",
    level: "warn",
    mail: "fields",
    members: () => ({ flags: { "is-test-mode": false } }),
  },
  unsubscribed: { event: "unsubscribed", level: "warn", mail: "id", members: reading },
};

/** Signature of requests: HMAC-SHA256 over timestamp and token, in hexadecimal; it does not cover the rest. */
export const signature: Omit<WebhookCredentials, "forge"> = {
  settings: [
    { name: "signingKey", description: "HTTP webhook signing key; made here by default", isSecret: true },
    basicAuthSetting,
  ],
  verification:
    "HMAC-SHA256 over timestamp and token with the webhook signing key, in `signature`; the rest is not signed.",
  createSecrets: createSigningKey,
};

/** Mailgun's events. */
export const mailgunEvents: EventWebhooks = {
  types: Object.keys(kinds) as MailEventType[],
  automatic: ["processed", "delivered"],
  ...signature,
  ...oneByOne((event, signing) => {
    const body = jsonBody({ signature: signatureOf(signing, event.id), "event-data": eventData(event, signing) });
    return { headers: requestHeaders(signing), contentType: "application/json", body };
  }),
  forge: (request) => {
    const { signature: own, ...rest } = readJson(request.body) as { readonly signature: MailgunSignature };
    const forged = { ...own, signature: forgedSignature(own.signature) };
    return { ...request, body: jsonBody({ signature: forged, ...rest }) };
  },
};

function eventData({ id, type, at, recipient, mail, details }: MailEvent, { serviceUrl }: CallbackSigning): JsonObject {
  const kind = kinds[type];
  const shown: EventMail = {
    uuid: mail.id,
    messageId: mail.messageId,
    sender: mail.from,
    from: mail.from,
    to: mail.to.join(", "),
    subject: mail.subject,
    attachments: [],
    size: mail.sizeBytes,
    facts: mail.facts,
  };
  const eventId = uuidToBase64url(id);
  const head = { mail, event: kind.event, recipient, timestamp: at, id: eventId, level: kind.level };
  const domain = mail.messageId.split("@").at(-1) ?? "";
  const members = mailMembers(
    { mail: shown, recipient },
    `${serviceUrl}/providers/mailgun/v3/domains/${encodeURIComponent(domain.toWellFormed())}`,
  );
  return {
    ...eventMembers(head, kind.members(details)),
    ...shownMembers(kind, members, mail.messageId),
    account: { id: derivedHex(24, mail.server) },
    domain: { name: domain },
  };
}

function shownMembers({ mail }: Kind, members: JsonObject, messageId: string): JsonObject {
  if (mail === "stored") return members;
  if (mail === "fields") return { message: members["message"] };
  return { message: { headers: { "message-id": messageId } } };
}

function reading(details: EventDetails): JsonObject {
  const { ip, userAgent } = readerOf(details, usualBrowser);
  return {
    ip,
    geolocation: { country: "Unknown", region: "Unknown", city: "Unknown" },
    "client-info": {
      "client-name": "Firefox",
      "client-os": "Linux",
      "client-type": "browser",
      "device-type": "desktop",
      "user-agent": userAgent,
      bot: "",
    },
  };
}

function deferred(details: EventDetails): JsonObject {
  return failure("temporary", "generic", {
    ...statusOf(details, { code: 451, enhanced: "4.3.0", message: "Try again later" }),
    "retry-seconds": 600,
  });
}

const bounces = {
  hard: { code: 550, enhanced: "5.1.1", message: "The mailbox does not exist", type: "hard", reason: "bounce" },
  soft: { code: 552, enhanced: "5.2.2", message: "The mailbox is full", type: "soft", reason: "generic" },
  blocked: { code: 550, enhanced: "5.7.1", message: "Rejected by policy", type: "soft", reason: "generic" },
} as const;

function bounced(details: EventDetails): JsonObject {
  const bounce = bounces[details.bounce ?? "hard"];
  return failure("permanent", bounce.reason, { ...statusOf(details, bounce), "bounce-type": bounce.type });
}

/** Mailgun did not try to deliver: the recipient is on a suppression list. */
function dropped({ code = 605, reason = "" }: EventDetails): JsonObject {
  const description = "Not delivering to previously bounced address";
  return failure("permanent", "suppress-bounce", {
    "attempt-no": 1,
    code,
    description,
    message: reason,
    "session-seconds": 0,
  });
}

function failure(severity: "permanent" | "temporary", reason: string, status: JsonObject): JsonObject {
  return { severity, reason, flags: deliveryFlags, "delivery-status": status };
}

function statusOf(
  { code, status, reason }: EventDetails,
  usual: { readonly code: number; readonly enhanced: string; readonly message: string },
): JsonObject {
  const message = reason?.replace(/^\d{3}[ -]/, "") ?? `${usual.enhanced} ${usual.message}`;
  return {
    ...hostStatus,
    code: code ?? (Number(/^\d{3}(?=[ -])/.exec(reason ?? "")?.[0] ?? "0") || usual.code),
    "enhanced-code": status ?? usual.enhanced,
    message,
    description: "",
  };
}

/** Signature of a request, as members of JSON or fields of a form. */
export interface MailgunSignature {
  readonly timestamp: string;
  /** 50 hexadecimal digits; receivers may refuse one that they have seen. */
  readonly token: string;
  readonly signature: string;
}

/** Makes a signing key, or takes that of the user. */
function createSigningKey(given: CallbackSecrets): NewSecrets {
  const form = "1 to 200 printable ASCII characters without spaces";
  const signingKey = givenSecret(given, "signingKey", { pattern: /^[\x21-\x7e]{1,200}$/, form }) ?? newSecret();
  return { secrets: { signingKey, ...givenBasicAuth(given) }, publicKey: null, secret: signingKey };
}

/** Returns the signature of an attempt; `seed` is the id of the event or mail. */
export function signatureOf({ secrets, now, url }: CallbackSigning, seed: string): MailgunSignature {
  const timestamp = Math.floor(now / 1000).toString();
  const token = derivedHex(50, seed, now, url);
  const hmac = createHmac("sha256", secrets["signingKey"] ?? "").update(timestamp + token);
  return { timestamp, token, signature: hmac.digest("hex") };
}

/** Returns the header fields of a request. */
export function requestHeaders(signing: Pick<CallbackSigning, "secrets" | "url">): Readonly<Record<string, string>> {
  return { "User-Agent": "mailgun/treq-20.9.0", ...basicAuthHeaders(signing) };
}

/** Returns another signature. */
export function forgedSignature(signature: string): string {
  return derivedHex(64, signature, "forged");
}
