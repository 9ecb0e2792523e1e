/** Header fields List-Unsubscribe (RFC 2369) and List-Unsubscribe-Post (RFC 8058). */
import type { HeaderField } from "./message.ts";

/** Body of a one-click request, and value of List-Unsubscribe-Post (RFC 8058 §3.1, §3.2). */
export const oneClickBody = "List-Unsubscribe=One-Click";

/** Values of the fields of a mail. */
export interface UnsubscribeFields {
  /** Values of List-Unsubscribe; RFC 2369 allows one. */
  readonly list: readonly string[];
  /** URIs of the first List-Unsubscribe, in the sender's order of preference. */
  readonly uris: readonly string[];
  /** Values of List-Unsubscribe-Post; RFC 8058 allows one. */
  readonly post: readonly string[];
}

const uriCountMax = 20;

/** Returns the values of the fields. */
export function readUnsubscribeFields(headers: readonly HeaderField[]): UnsubscribeFields {
  const valuesOf = (name: string): readonly string[] =>
    headers.filter(({ field }) => field.toLowerCase() === name).map(({ value }) => value.trim());
  const list = valuesOf("list-unsubscribe");
  return { list, uris: unsubscribeUris(list[0] ?? ""), post: valuesOf("list-unsubscribe-post") };
}

/** Returns the URIs in angle brackets of a List-Unsubscribe field, without white space (RFC 2369 §2); at most 20. */
export function unsubscribeUris(value: string): readonly string[] {
  return Array.from(value.matchAll(/<([^<>]*)>/g), ([, uri = ""]) => uri.replaceAll(/\s/g, "")).slice(0, uriCountMax);
}

/** Whether a List-Unsubscribe-Post field allows one-click requests. */
export function isOneClick(value: string): boolean {
  return /^List-Unsubscribe=One-Click$/i.test(value);
}
