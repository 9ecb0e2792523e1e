/** Texts of a message that searches compare: its body, and its other parts (names, addresses, file names, codes) as one text. */
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

/**
 * Searchable body of a message: text part, HTML source and visible text, each folded by `foldText`. It is compared as one text,
 * joined by line feeds, but kept in pieces, because it is larger than everything else that is kept of a mail until its commit.
 */
export class SearchBody {
  #texts: readonly string[] | null;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** The whole text, which is joined once; null after {@link release}. */
  get text(): string | null {
    if (this.#texts === null) return null;
    const text = this.#texts.join("\n");
    this.#texts = [text];
    return text;
  }

  /** Size in bytes of UTF-8. Throws after {@link release}. */
  get byteLength(): number {
    const texts = this.#present();
    let length = Math.max(0, texts.length - 1);
    for (const text of texts) length += Buffer.byteLength(text);
    return length;
  }

  /** Writes {@link byteLength} bytes at an offset of the target; returns the offset after them. Throws after {@link release}. */
  writeTo(target: Buffer, offset: number): number {
    let at = offset;
    for (const [index, text] of this.#present().entries()) {
      if (index > 0) at = target.writeUInt8(lineFeed, at);
      at += target.write(text, at);
    }
    return at;
  }

  /** Frees the texts, which nothing can read afterwards. */
  release(): void {
    this.#texts = null;
  }

  #present(): readonly string[] {
    if (this.#texts === null) throw new Error("The search body was released");
    return this.#texts;
  }
}

const lineFeed = 0x0a;
