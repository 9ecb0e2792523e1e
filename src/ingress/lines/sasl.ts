/** Decoding of SASL responses. */

/** Name and password of a client. */
export interface PlainCredentials {
  readonly user: string;
  readonly password: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes a response of the mechanism PLAIN (RFC 4616), in base64. Returns undefined when it is malformed or names another
 * authorization identity: one cannot act for another user.
 */
export function decodePlain(response: string): PlainCredentials | undefined {
  const text = decodeBase64(response);
  const [authorizationId, user, password, ...rest] = text?.split("\0") ?? [];
  if (authorizationId === undefined || user === undefined || password === undefined || rest.length > 0)
    return undefined;
  return authorizationId === "" || authorizationId === user ? { user, password } : undefined;
}

/** Decodes base64 of UTF-8; undefined for anything else. */
export function decodeBase64(base64: string): string | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined;
  try {
    return utf8.decode(Buffer.from(base64, "base64"));
  } catch {
    // Not UTF-8: the caller refuses the response.
    return undefined;
  }
}

/** Returns the text of a line that was read as Latin-1 and contains UTF-8, such as a password. */
export function utf8Of(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("utf8");
}
