/** X-Twilio-Signature: HMAC-SHA1 over the URL and, for forms, the sorted fields (Twilio: Webhooks security). */
import { createHmac } from "node:crypto";
import type { FormFields } from "../../core/read-form.ts";
import { isSameText } from "../formats/same-text.ts";

/** Signed parts of a request. */
export interface TwilioSignedRequest {
  /** Complete URL of the request, with its query string. */
  readonly url: string;
  /** Fields of the body. */
  readonly form: FormFields;
}

/** Returns the signature of a request, in base64. */
export function signTwilioRequest(request: TwilioSignedRequest, authToken: string): string {
  const signed = request.url + sortedFields(request.form);
  return createHmac("sha1", authToken).update(signed).digest("base64");
}

/**
 * Returns whether the signature is that of the request; compares in constant time. The default port of the scheme may be
 * explicit or absent on either side.
 */
export function verifyTwilioRequest(request: TwilioSignedRequest, signature: string, authToken: string): boolean {
  return urlSpellings(request.url).some((url) =>
    isSameText(signTwilioRequest({ ...request, url }, authToken), signature),
  );
}

/** Concatenates each name with its distinct values, sorted by code unit, without separators. */
function sortedFields(form: FormFields): string {
  const values = Map.groupBy(form, ([name]) => name);
  const names = [...values.keys()].toSorted();
  return names
    .map((name) => [...new Set(values.get(name)?.map((field) => field.join("")))].toSorted().join(""))
    .join("");
}

function urlSpellings(url: string): readonly string[] {
  const [, scheme, host, port, rest = ""] = /^(https?:\/\/)([^/?#:]+|\[[^\]]*\])(:\d+)?([/?#].*)?$/is.exec(url) ?? [];
  if (scheme === undefined || host === undefined) return [url];
  const defaultPort = scheme.toLowerCase() === "https://" ? ":443" : ":80";
  return [url, scheme + host + rest, scheme + host + (port ?? defaultPort) + rest];
}
