/** X-Twilio-Signature: HMAC-SHA1 over the URL and, for forms, the sorted fields (Twilio: Webhooks security). */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";

/** Signed parts of a form request. */
export interface TwilioSignedRequest {
  /** Complete URL of the request, with its query string. */
  readonly url: string;
  /** Fields of a form body; empty for a JSON body. */
  readonly form: FormFields;
}

/** Returns the signature of a form request, in base64. */
export function signTwilioRequest(request: TwilioSignedRequest, authToken: string): string {
  const signed = request.url + sortedFields(request.form);
  return createHmac("sha1", authToken).update(signed).digest("base64");
}

/**
 * Returns the URL and signature of a request whose body is not a form: the SHA-256 of the body is added to the query as
 * `bodySHA256`, and the URL alone is signed.
 */
export function signTwilioBody(
  url: string,
  body: string | Uint8Array,
  authToken: string,
): { url: string; signature: string } {
  const signed = `${url}${url.includes("?") ? "&" : "?"}bodySHA256=${sha256(body)}`;
  return { url: signed, signature: signTwilioRequest({ url: signed, form: [] }, authToken) };
}

/**
 * Returns whether the signature is that of the request; compares in constant time. The default port of the scheme may be
 * explicit or absent on either side.
 */
export function verifyTwilioRequest(request: TwilioSignedRequest, signature: string, authToken: string): boolean {
  return urlSpellings(request.url).some((url) => equal(signTwilioRequest({ ...request, url }, authToken), signature));
}

/** Verifies a request whose body is not a form, like {@link verifyTwilioRequest}; the URL must contain the hash of the body. */
export function verifyTwilioBody(
  request: { readonly url: string; readonly body: string | Uint8Array },
  signature: string,
  authToken: string,
): boolean {
  const hash = URL.canParse(request.url) ? new URL(request.url).searchParams.get("bodySHA256") : null;
  const bodyMatches = hash !== null && equal(hash.toLowerCase(), sha256(request.body));
  return verifyTwilioRequest({ url: request.url, form: [] }, signature, authToken) && bodyMatches;
}

/** Concatenates each name with its distinct values, sorted by code unit, without separators. */
function sortedFields(form: FormFields): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value));
  return Array.from(values)
    .toSorted(([a], [b]) => compareUnits(a, b))
    .map(([name, own]) =>
      Array.from(own, (value) => name + value)
        .toSorted(compareUnits)
        .join(""),
    )
    .join("");
}

function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function urlSpellings(url: string): readonly string[] {
  const [, scheme, host, port, rest = ""] = /^(https?:\/\/)([^/?#:]+|\[[^\]]*\])(:\d+)?([/?#].*)?$/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return [url];
  const defaultPort = scheme.toLowerCase() === "https://" ? ":443" : ":80";
  return [url, scheme + host + rest, scheme + host + (port ?? defaultPort) + rest];
}

function sha256(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

function equal(one: string, other: string): boolean {
  const a = Buffer.from(one);
  const b = Buffer.from(other);
  return a.length === b.length && timingSafeEqual(a, b);
}
