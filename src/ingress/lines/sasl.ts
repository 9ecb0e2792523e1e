/** Decoding of SASL responses. */

/** Response of the mechanism PLAIN. */
export interface PlainResponse {
  readonly user: string;
  readonly password: string;
  /** Whether the client wants to act for another user than the one whose password it sends. */
  readonly namesAnother: boolean;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the text of a response of PLAIN (RFC 4616) as {@link decodeBase64} returns it; undefined when it is malformed. */
export function readPlain(text: string | undefined): PlainResponse | undefined {
  const [authorizationId, user, password, ...rest] = text?.split("\0") ?? [];
  if (authorizationId === undefined || user === undefined || password === undefined || rest.length > 0)
    return undefined;
  return { user, password, namesAnother: authorizationId !== "" && authorizationId !== user };
}

/** Mechanisms of listeners through which email clients read mail. */
export const mechanisms: readonly string[] = ["PLAIN", "XOAUTH2", "OAUTHBEARER"];

/** Mechanisms that send a bearer token. */
export type BearerMechanism = "XOAUTH2" | "OAUTHBEARER";

/** Response of a mechanism with a bearer token. */
export interface BearerResponse {
  readonly user: string;
  readonly token: string;
}

/** Returns the mechanism of this name, in any case; undefined for others. */
export function bearerMechanism(name: string): BearerMechanism | undefined {
  const upper = name.toUpperCase();
  return upper === "XOAUTH2" || upper === "OAUTHBEARER" ? upper : undefined;
}

/**
 * Reads the text of a response as {@link decodeBase64} returns it; undefined when it is malformed. XOAUTH2:
 * `user=…^Aauth=Bearer …^A^A`; OAUTHBEARER: `n,a=…,^Ahost=…^Aport=…^Aauth=Bearer …^A^A` (RFC 7628 §3.1), ^A being U+0001.
 */
export function readBearer(mechanism: BearerMechanism, text: string | undefined): BearerResponse | undefined {
  const [first = "", ...fields] = text?.split("\u0001") ?? [];
  const user = (mechanism === "XOAUTH2" ? /^user=(.*)$/is : /^[ny],a=([^,]*),$/i).exec(first)?.[1];
  const token = fields
    .map((field) => /^auth=Bearer +([\u0021-\u007e]+)$/i.exec(field)?.[1])
    .find((one) => one !== undefined);
  if (user === undefined || user === "" || token === undefined) return undefined;
  // RFC 5801 §4: "," and "=" in the authorization identity are encoded.
  return { user: mechanism === "XOAUTH2" ? user : user.replaceAll(/=2c/gi, ",").replaceAll(/=3d/gi, "="), token };
}

/** Returns the challenge about a wrong token, as JSON; the client responds with anything, and gets the refusal (RFC 7628 §3.2.3). */
export function bearerRefusal(mechanism: BearerMechanism): string {
  return JSON.stringify(mechanism === "XOAUTH2" ? { status: "400", schemes: "Bearer" } : { status: "invalid_token" });
}

/** Decodes base64 of text as {@link textOf} does; undefined for anything else. */
export function decodeBase64(base64: string): string | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  return textOf(Buffer.from(base64, "base64"));
}

/** Returns the text of a line that was read as Latin-1, such as a password, as {@link textOf} does. */
export function utf8Of(latin1: string): string {
  return textOf(Buffer.from(latin1, "latin1"));
}

/** Returns bytes as UTF-8, or where they are none as Latin-1, in which older clients send names and passwords. */
function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8.
    return bytes.toString("latin1");
  }
}
