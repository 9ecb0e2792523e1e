/** Header fields of a callback's request as attempts record them and deliveries show them. */
import type { CallbackRequest } from "../../providers/callbacks.ts";

const maskedHeaders: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/** Returns the header fields of a request by name in lower case, with `***` in place of credentials. */
export function shownHeaders({
  headers,
  contentType,
  secretHeaders = [],
}: CallbackRequest): Readonly<Record<string, string>> {
  const masked = new Set([...maskedHeaders, ...secretHeaders]);
  const fields = Object.entries({ ...headers, "content-type": contentType });
  return Object.fromEntries(
    fields.map(([name, value]) => [name.toLowerCase(), masked.has(name.toLowerCase()) ? "***" : value]),
  );
}
