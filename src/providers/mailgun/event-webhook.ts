/**
 * Events of a mail, as webhooks post them (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks) and the API lists
 * them.
 */
import { createHmac } from "node:crypto";
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackSigning, EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";
import type { WebhookCredentials } from "../callbacks.ts";
import type { StoredEmail } from "../email.ts";
import { basicAuthHeaders, derivedHex, jsonBody } from "../formats/callback-values.ts";
import { readJson, type JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { basicAuth, jsonOneByOne, madeSecret, readerOf, secretsOf, usualBrowser } from "../kit/events.ts";

/** Signature of requests: HMAC-SHA256 over timestamp and token, in hexadecimal; it does not cover the rest. */
export const signature: Omit<WebhookCredentials, "forge"> = {
  ...secretsOf(madeSecret("signingKey", "HTTP webhook signing key; made here by default"), basicAuth),
  verification:
    "HMAC-SHA256 over timestamp and token with the webhook signing key, in `signature`; the rest is not signed.",
};

/** Mailgun's events. */
export const mailgunEvents: EventWebhooks = {
  types: mailEventTypes,
  automatic: ["processed", "delivered"],
  ...signature,
  ...jsonOneByOne({
    wire: (event, signing) => ({ signature: signatureOf(signing, event.id), "event-data": eventData(event, signing) }),
    headers: requestHeaders,
  }),
  forge: (request) => {
    const { signature: own, ...rest } = readJson(request.body) as { readonly signature: MailgunSignature };
    const forged = { ...own, signature: forgedSignature(own.signature) };
    return { ...request, body: jsonBody({ signature: forged, ...rest }) };
  },
};

function eventData({ mail, ...event }: MailEvent, { serviceUrl }: CallbackSigning): JsonObject {
  const { messageId, from, to, subject, sizeBytes: size, facts, server } = mail;
  const domain = messageId.split("@").at(-1) ?? "";
  const domainUrl = `${serviceUrl}/providers/mailgun/v3/domains/${encodeURIComponent(domain.toWellFormed())}`;
  const headers = { to: to.join(", "), "message-id": messageId, from, subject };
  const message = { headers, attachments: [], size };
  const shown = { facts, sender: from, message, storage: storageOf(mail.id, domainUrl) };
  return {
    ...eventWire({ ...event, id: uuidToBase64url(event.id) }, shown),
    account: { id: derivedHex(24, server) },
    domain: { name: domain },
  };
}

/** Signature of a request, as members of JSON or fields of a form. */
export interface MailgunSignature {
  readonly timestamp: string;
  /** 50 hexadecimal digits; receivers may refuse one that they have seen. */
  readonly token: string;
  readonly signature: string;
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

/** Mail as its events show it, without its bodies. */
export interface EventMail {
  readonly facts: StoredEmail["facts"];
  readonly sender: string;
  readonly message: {
    /** Message-ID without angle brackets. */
    readonly headers: Readonly<Record<"to" | "message-id" | "from" | "subject", string>>;
    readonly attachments: readonly (JsonObject & { readonly filename: string })[];
    readonly size: number;
  };
  readonly storage: { readonly url: string; readonly key: string };
}

/** Returns the place where a mail is stored; `domainUrl` is the URL of its domain in the API of messages. */
export function storageOf(uuid: string, domainUrl: string): EventMail["storage"] {
  const key = uuidToBase64url(uuid);
  return { url: `${domainUrl}/messages/${key}`, key };
}

/** Returns an event in Mailgun's form. */
export function eventWire(
  { type, id, at, recipient, details }: Omit<MailEvent, "mail">,
  { facts, sender, message, storage }: EventMail,
): JsonObject {
  const { event, level, shows, members } = kinds[type];
  const mail = {
    mail: { envelope: { transport: "smtp", sender, targets: recipient }, message, storage },
    message: { message },
    id: { message: { headers: { "message-id": message.headers["message-id"] } } },
  };
  return {
    event,
    id,
    timestamp: at / 1000,
    "log-level": level,
    ...members(details),
    recipient,
    "recipient-domain": recipient.split("@").at(-1) ?? "",
    tags: facts.tags,
    campaigns: [],
    "user-variables": facts.metadata,
    ...(facts.template !== null && { template: { name: facts.template.id } }),
    ...mail[shows],
  };
}

/** Rendering of a type. */
interface Kind {
  readonly event: string;
  readonly level: "info" | "warn" | "error";
  /** Members that show the mail: all of them, its header fields, or the Message-ID alone. */
  readonly shows: "mail" | "message" | "id";
  readonly members: (details: EventDetails) => JsonObject;
}

const acceptedFlags = { "is-authenticated": true, "is-test-mode": false };
/** Flags of events after the acceptance. */
const deliveryFlags = { ...acceptedFlags, "is-routed": false, "is-system-test": false };

/** Types that are rendered. */
export const kinds: Readonly<Record<MailEventType, Kind>> = {
  processed: {
    event: "accepted",
    level: "info",
    shows: "mail",
    members: () => ({ method: "HTTP", flags: acceptedFlags }),
  },
  dropped: { event: "failed", level: "error", shows: "mail", members: dropped },
  deferred: { event: "failed", level: "warn", shows: "mail", members: deferred },
  delivered: { event: "delivered", level: "info", shows: "mail", members: delivered },
  bounced: { event: "failed", level: "error", shows: "mail", members: bounced },
  opened: { event: "opened", level: "info", shows: "id", members: reading },
  clicked: {
    event: "clicked",
    level: "info",
    shows: "id",
    members: (details) => ({ ...reading(details), url: readerOf(details).url }),
  },
  complained: {
    event: "complained",
    level: "warn",
    shows: "message",
    members: () => ({ flags: { "is-test-mode": false } }),
  },
  unsubscribed: { event: "unsubscribed", level: "warn", shows: "id", members: reading },
};

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

/** Members of the status of every delivery that reached a host. */
const hostStatus = {
  tls: true,
  "mx-host": "localhost",
  "session-seconds": 0,
  utf8: true,
  "attempt-no": 1,
  "certificate-verified": true,
};

function delivered({ code = 250, reason = "OK" }: EventDetails): JsonObject {
  const status = { ...hostStatus, code, description: "", message: reason };
  return { flags: deliveryFlags, "delivery-status": status };
}

function deferred(details: EventDetails): JsonObject {
  const status = statusOf(details, { code: 451, enhanced: "4.3.0", message: "Try again later" });
  return failure("temporary", "generic", { ...status, "retry-seconds": 600 });
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
  const status = { "attempt-no": 1, code, description, message: reason, "session-seconds": 0 };
  return failure("permanent", "suppress-bounce", status);
}

function failure(severity: "permanent" | "temporary", reason: string, status: JsonObject): JsonObject {
  return { severity, reason, flags: deliveryFlags, "delivery-status": status };
}

function statusOf(
  { code, status, reason }: EventDetails,
  usual: { readonly code: number; readonly enhanced: string; readonly message: string },
): JsonObject {
  return {
    ...hostStatus,
    code: code ?? (Number(/^\d{3}(?=[ -])/.exec(reason ?? "")?.[0] ?? "0") || usual.code),
    "enhanced-code": status ?? usual.enhanced,
    message: reason?.replace(/^\d{3}[ -]/, "") ?? `${usual.enhanced} ${usual.message}`,
    description: "",
  };
}
