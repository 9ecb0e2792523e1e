/** Mailgun's webhooks (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks). */
import { createHmac } from "node:crypto";
import { mailEventTypes } from "../callbacks.ts";
import type { CallbackSigning, EventWebhooks, MailEvent, WebhookCredentials } from "../callbacks.ts";
import { basicAuthHeaders, derivedHex, jsonBody } from "../formats/callback-values.ts";
import { readJson, type JsonObject } from "../formats/json-body.ts";
import { uuidToBase64url } from "../formats/uuid.ts";
import { basicAuth, jsonOneByOne, madeSecret, secretsOf } from "../kit/events.ts";
import { eventWire, storageOf } from "./event.ts";

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
