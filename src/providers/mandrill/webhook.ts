/** Signed requests of Mandrill, which events and inbound mail share: https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/ */
import { createHmac, randomBytes } from "node:crypto";
import type { CallbackRequest, CallbackSigning, WebhookCredentials } from "../callbacks.ts";
import {
  alterEncoded,
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  jsonBody,
} from "../formats/callback-values.ts";

const field = "mandrill_events";
const keyBytes = 16;

/** Webhook key, and credentials of Basic authentication. */
export const mandrillCredentials: WebhookCredentials = {
  settings: [{ name: "key", description: "Webhook key; a new one by default", isSecret: true }, basicAuthSetting],
  verification: "Compare X-Mandrill-Signature with the HMAC-SHA1 of the URL and the sorted form fields, in base64.",
  createSecrets: (given) => {
    const key = givenSecret(given, "key") ?? randomBytes(keyBytes).toString("base64url");
    return { secrets: { key, ...givenBasicAuth(given) }, publicKey: null, secret: key };
  },
  forge: (request) => {
    const signature = alterEncoded(request.headers["x-mandrill-signature"] ?? "");
    return { ...request, headers: { ...request.headers, "x-mandrill-signature": signature } };
  },
};

/** Returns the request with events, of one message or of several. */
export function eventsRequest(wires: readonly unknown[], signing: CallbackSigning): CallbackRequest {
  const events = Buffer.from(jsonBody(wires)).toString("utf8");
  return {
    headers: { ...basicAuthHeaders(signing), "x-mandrill-signature": signatureOf(events, signing) },
    contentType: "application/x-www-form-urlencoded",
    body: Buffer.from(`${field}=${encodeURIComponent(events)}`, "utf8"),
  };
}

/** The URL is signed as Mandrill's users configure it, with credentials and query string, then each field's name and value. */
function signatureOf(events: string, { url, secrets }: CallbackSigning): string {
  const { key = "", basicAuth } = secrets;
  const signedUrl = basicAuth === undefined ? url : url.replace("//", () => `//${basicAuth}@`);
  return createHmac("sha1", key)
    .update(signedUrl + field + events)
    .digest("base64");
}
