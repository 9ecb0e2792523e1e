/** Texts of inbound mail that several shapes show. */
import type { InboundAddress, InboundMail } from "../callbacks.ts";
import type { JsonObject } from "../formats/json-body.ts";

/** Returns the decoded value of the first header field with a name in lower case; "" without one. */
export function headerOf({ headers }: InboundMail, name: string): string {
  return headers.find(([field]) => field.toLowerCase() === name)?.[1] ?? "";
}

/** Returns addresses as in a header field, decoded: `"Ada" <ada@example.com>, b@example.com`. */
export function addressText(addresses: readonly InboundAddress[]): string {
  return addresses
    .map(({ name, address }) => (name === "" ? address : `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`))
    .join(", ");
}

/** Returns header fields by name; those that occur several times as arrays. */
export function fieldsByName(fields: InboundMail["headers"]): JsonObject {
  const byName = Map.groupBy(fields, ([name]) => name);
  const values = Array.from(byName, ([name, own]) => [name, own.map(([, value]) => value)] as const);
  return Object.fromEntries(values.map(([name, own]) => [name, own.length === 1 ? own[0] : own]));
}
