/** The one place that decides whether a list is an array, as the specification says, or `{"items":[…]}`. */
import { isOfficialLibrary } from "./dialect.ts";

/** `auto`: an array, and `{"items":[…]}` for the official libraries; the others force one form for everybody. */
export type ListEnvelope = "auto" | "array" | "items";

/**
 * Writes a list for whoever asks, in chunks, so that the items are not copied. `itemsJson` is the items' JSON, joined by
 * commas.
 */
export type ListEncoder = (itemsJson: Uint8Array, userAgent: string | undefined) => readonly Uint8Array[];

const array = { head: Buffer.from("["), tail: Buffer.from("]") };
const items = { head: Buffer.from('{"items":['), tail: Buffer.from("]}") };

/** The encoder for the operator's choice. Every answer that it writes varies with User-Agent. */
export function createListEncoder(envelope: ListEnvelope): ListEncoder {
  return (itemsJson, userAgent) => {
    const isWrapped = envelope === "auto" ? isOfficialLibrary(userAgent) : envelope === "items";
    const { head, tail } = isWrapped ? items : array;
    return [head, itemsJson, tail];
  };
}

/** The items' JSON of things that are not kept as JSON. */
export function joinItems(things: readonly unknown[]): Uint8Array {
  return Buffer.from(things.map((thing) => JSON.stringify(thing)).join(","), "utf8");
}
