/** Credentials of Postmark's requests, which are not signed: Basic authentication, a header field, or both. */
import {
  basicAuthHeaders,
  derivedHex,
  givenBasicAuth,
  givenSecret,
  newSecret,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import type { CallbackRequest, CallbackSecrets, CallbackSetting, CallbackSigning, NewSecrets } from "../callbacks.ts";

/** Settings of the credentials. */
export const credentialSettings: readonly CallbackSetting[] = [
  {
    name: "basicAuth",
    description: "`user:password` of Basic authentication; made here unless one of both settings is given",
    isSecret: true,
  },
  { name: "header", description: "header field with a secret value, `X-Token: value`", isSecret: true },
];

/** Verification as the documentation describes it. */
export const credentialVerification: string =
  "Basic authentication or a header field with a secret; requests are not signed.";

/** Takes the credentials of the user, or makes a password. */
export function createCredentials(given: CallbackSecrets): NewSecrets {
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
export function forgeCredentials(request: CallbackRequest): CallbackRequest {
  const isOwn = (name: string): boolean => !["User-Agent", "authorization"].includes(name);
  const headers = Object.entries(request.headers).map(([name, value]) =>
    isOwn(name) ? [name, derivedHex(32, name, value)] : [name, value],
  );
  const forged: CallbackRequest = { ...request, headers: Object.fromEntries(headers) as Record<string, string> };
  return "authorization" in request.headers ? withWrongCredentials(forged, "postmark") : forged;
}
