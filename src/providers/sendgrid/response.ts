import { uuidOfHex, uuidToBase64url } from "../formats/uuid.ts";

/** Host of the Message-ID fields that the API writes; the local part is the message id. */
const messageIdHost = "geopod-ismtpd-1";
const idPattern = /^(?:[\w-]{22}\.)?([\w-]{22})$/;

/** Returns the Message-ID field of a mail with this UUID. */
export function messageIdField(uuid: string): string {
  return `<${uuidToBase64url(uuid)}@${messageIdHost}>`;
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
