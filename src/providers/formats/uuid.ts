/** UUIDs in the ids of messages and objects. */
import { createHash } from "node:crypto";

/** Returns whether a text is a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** Returns the UUID of an id that is a UUID in lower case; "" for anything else. */
export function uuidOfId(id: string): string {
  return isUuid(id) ? id : "";
}

/** Returns the 22 characters of base64url that stand for the 16 bytes of a UUID. */
export function uuidToBase64url(uuid: string): string {
  return Buffer.from(digitsOfUuid(uuid), "hex").toString("base64url");
}

/** Returns the UUID for which these 22 characters stand; "" for anything else. */
export function uuidOfBase64url(text: string): string {
  const bytes = Buffer.from(text, "base64url");
  // The last character has four bits that are not used.
  return bytes.byteLength === 16 && bytes.toString("base64url") === text ? uuidOfHex(bytes.toString("hex")) : "";
}

/** Returns a UUID (version 8, RFC 9562) that is the same for the same text. */
export function uuidOfHash(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return uuidOfHex(`${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17, 32)}`);
}

/** Returns the 32 hexadecimal digits of a UUID. */
export function digitsOfUuid(uuid: string): string {
  return uuid.replaceAll("-", "");
}

/** Returns the UUID of 32 hexadecimal digits. */
export function uuidOfHex(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Returns the UUID of an id that is its 32 hexadecimal digits in lower case; "" for anything else. */
export function uuidOfDigits(id: string): string {
  return /^[0-9a-f]{32}$/.test(id) ? uuidOfHex(id) : "";
}

/** Returns the 128 bits of a UUID as a decimal number. */
export function uuidToDecimal(uuid: string): string {
  return BigInt(`0x${digitsOfUuid(uuid)}`).toString();
}

const uuidMax = (1n << 128n) - 1n;

/** Returns the UUID whose 128 bits a decimal number has; "" for anything else. */
export function uuidOfDecimal(text: string): string {
  const number = BigInt(/^(?:0|[1-9]\d{0,38})$/.test(text) ? text : -1);
  return number < 0n || number > uuidMax ? "" : uuidOfHex(number.toString(16).padStart(32, "0"));
}
