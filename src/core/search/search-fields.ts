/** Parts of a message that searches compare beside subject and body: names, addresses, ids, file names and codes, as one text. */
import { foldText, withOtherDomains } from "../fold.ts";
import type { Contact } from "../message.ts";

/**
 * Parts of a message, in the order in which stores keep them. `attachment` and `inline` are file names, `code` one-time codes
 * as a person would type them.
 */
export const searchParts: readonly SearchPart[] = [
  "from",
  "to",
  "cc",
  "bcc",
  "replyTo",
  "messageId",
  "attachment",
  "inline",
  "tag",
  "code",
];

/** Part of a message that a search compares. */
export type SearchPart =
  | "from"
  | "to"
  | "cc"
  | "bcc"
  | "replyTo"
  | "messageId"
  | "attachment"
  | "inline"
  | "tag"
  | "code";

/** Values of the parts, folded by {@link foldPart}; absent parts have none. `tag` are tags that a provider gave. */
export type SearchFields = Readonly<Partial<Record<SearchPart, readonly string[]>>>;

/** Separator of parts; it does not occur in a value. */
export const partSeparator = "\u0001";
/** Character around each value; it does not occur in a value. */
export const valueSeparator = "\n";

/**
 * Encoded length of the fields of a message beyond which further values are left out, in UTF-16 code units. Codes, of which
 * there are few, count first.
 */
export const searchFieldsLengthMax: number = 64 * 1024;

/** Folds a value or a term for comparison with parts: white space and control characters become single spaces. */
export function foldPart(text: string): string {
  return foldText(text)
    .replaceAll(/[\p{Cc} ]+/gu, " ")
    .trim();
}

/** Returns the value of a contact: `name <address>`, or the address or number alone; with both forms of a domain beyond ASCII. */
export function contactValue({ name, email, phone }: Contact): string {
  const address = email ?? phone ?? "";
  return withOtherDomains(foldPart(name === "" ? address : `${name} <${address}>`));
}

/** Returns the text that stores keep, a separator behind each part; bounded by {@link searchFieldsLengthMax} for any input. */
export function encodeSearchFields(fields: SearchFields): string {
  let length = 0;
  const encode = (part: SearchPart): string => {
    const values: string[] = [];
    for (const value of fields[part] ?? []) {
      length += value.length + 1;
      if (length > searchFieldsLengthMax) break;
      values.push(value);
    }
    return values.length === 0 ? "" : `${valueSeparator}${values.join(valueSeparator)}${valueSeparator}`;
  };
  const codes = encode("code");
  const parts = searchParts.map((part) => (part === "code" ? codes : encode(part)));
  return `${parts.join(partSeparator)}${partSeparator}`;
}

/** Returns one part of an encoded text; "" when it has no values. */
export function partOf(encoded: string, part: SearchPart): string {
  return encoded.split(partSeparator)[searchParts.indexOf(part)] ?? "";
}

/** Returns what an encoded part contains exactly when one of its values equals this one. */
export function wholeValue(value: string): string {
  return `${valueSeparator}${value}${valueSeparator}`;
}
