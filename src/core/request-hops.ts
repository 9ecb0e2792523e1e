/**
 * Count of the services like this one that a message has passed by requests, so that loops end: two webhooks that lead to
 * each other's service, or a service that calls itself through a proxy. Requests carry it in CDN-Loop (RFC 8586).
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { hopCountMax } from "./limits.ts";

const token = "restante";
/** Characters of a field that are read. */
const fieldLengthMax = 2048;
const hops = new AsyncLocalStorage<number>();

/** Returns the field of a request that a message causes which has passed `count` services. */
export function loopFields(count: number): Readonly<Record<"cdn-loop", string>> {
  return { "cdn-loop": `${token}; hops=${count + 1}` };
}

/** Returns the number of services that a request has passed; 0 without the field. A field without a number counts as one. */
export function readHops(field: string | undefined): number {
  if (field === undefined) return 0;
  let count = 0;
  for (const one of field.slice(0, fieldLengthMax).split(",")) {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim().toLowerCase());
    if (name !== token) continue;
    const given = parameters.find((parameter) => parameter.startsWith("hops="))?.slice("hops=".length) ?? "1";
    count += /^\d{1,6}$/.test(given) ? Math.max(1, Number(given)) : 1;
  }
  return count;
}

/** Runs `action` for a request or a message that has passed `count` services. */
export function withHops<Result>(count: number, action: () => Result): Result {
  return count === 0 && hops.getStore() === undefined ? action() : hops.run(count, action);
}

/** Returns the number of services that the running request or message has passed. */
export function currentHops(): number {
  return hops.getStore() ?? 0;
}

/** Bytes of a header section in which Received fields are counted; a mail of a loop has them at its start. */
const searchedBytesMax: number = 256 * 1024;
const name = Buffer.from("received:");

/** Returns whether a mail has more than {@link hopCountMax} Received fields (RFC 5321 §6.3). Linear in its header section. */
export function hasTooManyHops(raw: Uint8Array): boolean {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, searchedBytesMax));
  let count = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(0x0a, start);
    const next = end === -1 ? bytes.length : end + 1;
    if (next - start <= 2 && (bytes[start] === 0x0a || bytes[start] === 0x0d)) return false;
    if (isReceived(bytes, start)) count += 1;
    if (count > hopCountMax) return true;
    start = next;
  }
  return false;
}

function isReceived(bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const byte = bytes[start + at] ?? 0;
    if ((byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte) !== name[at]) return false;
  }
  return true;
}
