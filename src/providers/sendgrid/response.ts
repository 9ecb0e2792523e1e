import { uuidOfHex } from "../formats/uuid.ts";
import type { ProviderResponse } from "../provider.ts";

/** Host of the Message-ID fields that the API writes; the local part is the message id. */
const messageIdHost = "geopod-ismtpd-1";
const idPattern = /^(?:[\w-]{22}\.)?([\w-]{22})$/;

/** Returns the 22 characters of base64url that stand for a UUID in `X-Message-Id`. */
export function messageIdOf(uuid: string): string {
  return Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");
}

/** Returns the Message-ID field of a mail with this UUID. */
export function messageIdField(uuid: string): string {
  return `<${messageIdOf(uuid)}@${messageIdHost}>`;
}

/**
 * Returns the UUID in a provider id: the message id, or for further personalizations that of the first one, a full stop and
 * the message id; "" for anything else.
 */
export function uuidOfId(providerId: string): string {
  const id = idPattern.exec(providerId)?.[1] ?? "";
  const bytes = Buffer.from(id, "base64url");
  // The last character has four bits that are not used.
  if (id === "" || bytes.toString("base64url") !== id) return "";
  return uuidOfHex(bytes.toString("hex"));
}

/** Returns the response to mail that was accepted. */
export function acceptedResponse(providerId: string): ProviderResponse {
  return { status: 202, headers: { "X-Message-Id": providerId }, body: null };
}

/** Response to valid mail in sandbox mode. */
export const sandboxResponse: ProviderResponse = { status: 200, body: null };

/** Response without a body. */
export const noContent: ProviderResponse = { status: 204, body: null };
