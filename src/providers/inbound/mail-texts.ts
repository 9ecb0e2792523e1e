/** Texts of inbound mail that several shapes show. */
import type { InboundAddress, InboundMail } from "../callbacks.ts";

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
