/** Encoding of lists: an array, as in the specification, or `{"items":[…]}`. Only this file chooses between them. */

const officialLibrary = /(?:^|\s)(?:mailosaur-[\w.+#-]+|cypress-mailosaur)\//i;

/**
 * Returns whether a request's User-Agent names an official library: a product `mailosaur-<language>` or
 * `cypress-mailosaur` (RFC 9110 §10.1.5), anywhere in the list, since HTTP layers append their own names.
 */
export function isOfficialLibrary(userAgent: string | undefined): boolean {
  return userAgent !== undefined && officialLibrary.test(userAgent);
}

/** `auto`: an array, and `{"items":[…]}` for the official libraries; the others force one form for all clients. */
export type ListEnvelope = "auto" | "array" | "items";

/**
 * Encodes a list for a client in chunks, so that the items are not copied. `itemsJson` is the JSON of the items, joined
 * by commas.
 */
export type ListEncoder = (itemsJson: Uint8Array, userAgent: string | undefined) => readonly Uint8Array[];

const array = { head: Buffer.from("["), tail: Buffer.from("]") };
const items = { head: Buffer.from('{"items":['), tail: Buffer.from("]}") };

/** Returns the encoder for the operator's choice. Responses that it writes vary with User-Agent. */
export function createListEncoder(envelope: ListEnvelope): ListEncoder {
  return (itemsJson, userAgent) => {
    const isWrapped = envelope === "auto" ? isOfficialLibrary(userAgent) : envelope === "items";
    const { head, tail } = isWrapped ? items : array;
    return [head, itemsJson, tail];
  };
}

/** Returns the JSON of items that are not stored as JSON, joined by commas. */
export function joinItems(items: readonly unknown[]): Uint8Array {
  return Buffer.from(items.map((item) => JSON.stringify(item)).join(","), "utf8");
}
