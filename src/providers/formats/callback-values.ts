/** Values that several providers' callbacks need: secrets and their comparison, Basic credentials, texts for header fields, JSON. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import { decodePercent } from "../../core/text-encodings.ts";
import type { CallbackRequest, CallbackSecrets, CallbackSetting, CallbackSigning } from "../callbacks.ts";

/** Returns a new secret of 128 bits as 32 hexadecimal digits. */
export function newSecret(): string {
  return randomBytes(16).toString("hex");
}

/** Returns the first `length` hexadecimal digits of a hash over the parts; the same for the same parts. */
export function derivedHex(length: number, ...parts: readonly (string | number)[]): string {
  return createHash("sha512").update(JSON.stringify(parts)).digest("hex").slice(0, length);
}

/** Returns a JSON body in UTF-8; as {@link jsonText}. */
export function jsonBody(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value), "utf8");
}

/**
 * Serialises JSON; lone surrogates, which JSON.stringify escapes and several languages then refuse to read, become U+FFFD.
 */
export function jsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(json)) return json;
  const escapes = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
  return json.replaceAll(escapes, (one) => (one.length === 6 ? "\uFFFD" : one));
}

/**
 * Returns a text as the value of a header field: bytes of UTF-8 outside of printable ASCII, and percent signs, are
 * percent-encoded.
 */
export function headerValue(text: string): string {
  return Buffer.from(text, "utf8")
    .toString("latin1")
    .replaceAll(
      /[^\x21-\x24\x26-\x7e]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
}

/** Returns the value of an Authorization field for `user:password`. */
export function basicAuthorization(credentials: string): string {
  return `Basic ${Buffer.from(credentials, "utf8").toString("base64")}`;
}

/** Returns the value of the Authorization field for the user and password in a URL; undefined without any. */
function urlAuthorization(url: string): string | undefined {
  const { username, password } = new URL(url);
  if (username === "" && password === "") return undefined;
  return basicAuthorization(`${decodePercent(username)}:${decodePercent(password)}`);
}

/** Setting of the user and password of Basic authentication. */
export const basicAuthSetting: CallbackSetting = {
  name: "basicAuth",
  description: "`user:password` of Basic authentication; none by default",
  isSecret: true,
};

/** Returns the secret `basicAuth` that the user gave, without the member when there is none. */
export function givenBasicAuth(given: CallbackSecrets): CallbackSecrets {
  const basicAuth = givenSecret(given, "basicAuth", {
    pattern: /^[^:\p{Cc}]{1,200}:[^\p{Cc}]{1,200}$/u,
    form: "`user:password` without control characters",
  });
  return basicAuth === undefined ? {} : { basicAuth };
}

/** Returns the Authorization field for the user and password in the URL, else for the secret `basicAuth`; else no field. */
export function basicAuthHeaders({
  url,
  secrets: { basicAuth },
}: Pick<CallbackSigning, "url" | "secrets">): Readonly<Record<string, string>> {
  const own = basicAuth === undefined ? undefined : basicAuthorization(basicAuth);
  const authorization = urlAuthorization(url) ?? own;
  return authorization === undefined ? {} : { authorization };
}

/** Setting of a header field with a secret value. */
export const secretHeaderSetting: CallbackSetting = {
  name: "header",
  description: "header field with a secret value, `X-Token: value`",
  isSecret: true,
};

/** Returns the secret `header` that the user gave; undefined without one. Throws `invalid_request` for fields of HTTP itself. */
export function givenSecretHeader(given: CallbackSecrets): string | undefined {
  return givenSecret(given, "header", {
    pattern:
      /^(?!(?:authorization|host|connection|content-|transfer-|te:|upgrade))[!#$%&'*+.^_`|~\w-]{1,100}: ?[\x21-\x7e](?:[\x20-\x7e]{0,298}[\x21-\x7e])?$/i,
    form: "`Name: value` in ASCII, and no field that HTTP itself uses",
  });
}

/** Returns the header field of the secret `header`, and its name; none without it. */
export function secretHeader({
  header,
}: CallbackSecrets): Required<Pick<CallbackRequest, "headers" | "secretHeaders">> {
  if (header === undefined) return { headers: {}, secretHeaders: [] };
  const colon = header.indexOf(":");
  const name = header.slice(0, colon);
  return { headers: { [name]: header.slice(colon + 1).trim() }, secretHeaders: [name.toLowerCase()] };
}

/** Returns a copy of the request whose credentials in the Authorization field are wrong. */
export function withWrongCredentials(request: CallbackRequest, user = "wrong"): CallbackRequest {
  const authorization = basicAuthorization(`${user}:${derivedHex(32, request.headers["authorization"] ?? "")}`);
  return { ...request, headers: { ...request.headers, authorization } };
}

/** Form of a secret, and its description in errors. */
interface SecretForm {
  readonly pattern: RegExp;
  readonly form: string;
}

/** Form of most secrets. */
const printable: SecretForm = {
  pattern: /^[!-~]{1,200}$/,
  form: "1 to 200 printable ASCII characters without spaces",
};

/** Returns a secret that the user gave, or undefined without one; throws `invalid_request` for one that does not match. */
export function givenSecret(
  given: CallbackSecrets,
  name: string,
  { pattern, form }: SecretForm = printable,
): string | undefined {
  const value = given[name];
  if (value === undefined || value === "") return undefined;
  if (!pattern.test(value)) throw invalidField(`settings.${name}`, `Must be ${form}`);
  return value;
}

/** Returns a text in base64 or hexadecimal whose first character, and with it the first byte, is another. */
export function alterEncoded(text: string): string {
  return (text.startsWith("A") || text.startsWith("a") ? "B" : "A") + text.slice(1);
}

/** Returns whether two texts are equal, in constant time for texts of the same length in UTF-8. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
