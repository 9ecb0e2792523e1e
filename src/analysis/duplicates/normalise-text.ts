/** Text without the values that differ between two renderings of one message. */
const isoTime = /^\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}[Tt_]\p{Nd}{2}[\p{Nd}:.,+Zz-]*$/u;
const date =
  /^(?:\p{Nd}{4}[-./]\p{Nd}{1,2}[-./]\p{Nd}{1,2}|\p{Nd}{1,2}[-./]\p{Nd}{1,2}[-./]\p{Nd}{4}|\p{Nd}{1,2}[-/]\p{Nd}{1,2}[-/]\p{Nd}{2})$/u;
const time = /^\p{Nd}{1,2}:\p{Nd}{2}(?::\p{Nd}{2}(?:[.,]\p{Nd}{1,9})?)?(?:[+-]\p{Nd}{2}:?\p{Nd}{2})?[Zz]?$/u;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Quantities and amounts: `12`, `12.50`, `1,200.00`. */
const quantity = /^(?:\p{Nd}{1,3}(?:[.,'’]\p{Nd}{3})*|\p{Nd}{1,9})[.,]\p{Nd}{1,2}$|^\p{Nd}{1,3}(?:[.,'’]\p{Nd}{3})*$/u;
const digits = /\p{Nd}/gu;
const year = /^(?:19|20)\p{Nd}{2}$/u;

/** Letters without digits from which a word in mixed case, or any word, is a token. */
const mixedCaseLengthMin = 10;
const wordLengthMax = 40;
/** Length from which a token of several pieces (`eyJhbGciOi.eyJzdWIi`) is masked as a whole. */
const joinedTokenLengthMin = 16;
const tokenDigitCountMin = 5;
const tokenLengthMin = 5;

/** Returns a word with its volatile parts masked; the same word if it has none. Linear in the word. */
function maskWord(word: string, codes: ReadonlySet<string>): string {
  if (codes.has(word)) return mask;
  if (word.length < mixedCaseLengthMin && word.search(/\p{Nd}/u) < 0) return word;
  if (isoTime.test(word) || date.test(word) || time.test(word) || uuid.test(word)) return mask;
  if (quantity.test(word)) return word;
  return word
    .split(/([,:;=&?#/@|]+)/)
    .map((part, index) => (index % 2 === 1 ? part : maskPart(part, codes)))
    .join("");
}

function maskPart(part: string, codes: ReadonlySet<string>): string {
  if (codes.has(part) || uuid.test(part) || isoTime.test(part) || date.test(part)) return mask;
  const pieces = part.split(/([^\p{L}\p{N}]+)/u);
  const mixed = pieces.filter((piece) => countDigits(piece) > 0 && /\p{L}/u.test(piece));
  const isToken = pieces.map((piece, index) => index % 2 === 0 && (codes.has(piece) || isVolatile(piece)));
  const isJoined = mixed.length > 1 || (part.length >= joinedTokenLengthMin && mixed.some(isVolatile));
  if (isJoined) return mask;
  return pieces.map((piece, index) => (isToken[index] === true ? mask : piece)).join("");
}

/** Whether a run of letters and digits is an id, a token or a year rather than a word, a quantity or the name of a model. */
function isVolatile(piece: string): boolean {
  const digitCount = countDigits(piece);
  if (digitCount === 0) return isRandomLetters(piece);
  if (digitCount === piece.length) return digitCount >= tokenDigitCountMin || year.test(piece);
  return digitCount >= tokenDigitCountMin || (piece.length >= tokenLengthMin && countChanges(piece) >= 2);
}

function isRandomLetters(piece: string): boolean {
  if (piece.length >= wordLengthMax) return /^[A-Za-z]+$/.test(piece);
  return piece.length >= mixedCaseLengthMin && (piece.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0) >= 3;
}

function countDigits(piece: string): number {
  return piece.match(digits)?.length ?? 0;
}

/** Returns how often letters follow digits or digits letters. */
function countChanges(piece: string): number {
  return piece.match(/\p{Nd}(?=\p{L})|\p{L}(?=\p{Nd})/gu)?.length ?? 0;
}

/** Text with masked values. */
export interface NormalisedText {
  /** Text in which each masked value is one {@link mask}; white space collapsed. */
  readonly text: string;
  /** Masked values in order, one for each mask: texts that are equal have as many. */
  readonly values: readonly string[];
}

const start = String.raw`(?<![\p{L}\p{N}])`;
const stop = String.raw`(?![\p{L}\p{N}])`;
const number = String.raw`\p{Nd}{1,15}(?:[.,'’ \u00a0\u202f]\p{Nd}{2,3}){0,5}`;
const symbol = "[$€£¥₹₩₽₺]";
const currency = "(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|kr|Kč|zł|Ft)";
/** Words before ids, in the languages that senders use most. */
const idWords =
  "order|invoice|ticket|case|receipt|booking|reservation|reference|ref|request|transaction|tracking|shipment|parcel|account|customer|number|id|no|nr|code|pin|bestellung|bestellnummer|rechnung|rechnungsnummer|auftrag|kundennummer|buchung|nummer|commande|facture|réservation|numéro|pedido|factura|reserva|número|ordine|fattura|numero|bestelling|factuur|zamówienie|faktura";
const day = String.raw`\p{Nd}{1,2}(?:st|nd|rd|th|\.|º)?`;

let compiled: RegExp | undefined;

/**
 * Returns the expression that matches replaced and protected text, compiled at the first call: formatting the names of the months
 * takes 30 ms, which services and threads do not need at their start.
 */
function volatileValues(): RegExp {
  return (compiled ??= compileVolatileValues());
}

/** In order of precedence; the groups are URL, amount, cue, id and word, without names because those take four times as long. */
function compileVolatileValues(): RegExp {
  const months = monthNames(["en", "de", "fr", "es", "it", "pt", "nl"]).join("|");
  const values = [
    mask,
    `(https?://[^\\s<>"']+)`,
    `(${symbol}\\s?${number}${stop}|${start}${currency}\\s?${number}${stop}|${start}${number}\\s?(?:${symbol}|${currency}${stop}))`,
    `${start}((?:${idWords})(?:[ \\t](?:number|no|nr|id|is))?[ .:#№]{1,4}|(?<=[#№])|n[°º]\\s?)(\\p{Nd}{3}(?: \\p{Nd}{3}){1,5}|(?=[\\p{L}\\p{N}-]{0,20}\\p{Nd})[\\p{L}\\p{N}][\\p{L}\\p{N}-]{1,63})(?<![-])${stop}`,
    `${start}(?:${day}[ -](?:de )?(?:${months})|(?:${months})[ -]${day})(?:,?[ -](?:de )?\\p{Nd}{4})?${stop}`,
    `${start}(?:\\p{Nd}{3}(?:[ -]\\p{Nd}{3}){1,5}|\\p{Nd}(?: \\p{Nd}){3,9}|\\p{Nd}{1,2}(?::\\p{Nd}{2}){0,2}\\s?[ap]\\.?m)${stop}`,
    `([\\p{L}\\p{N}](?:[\\p{L}\\p{N}_.:+=~%@/,'’&?#|-]*[\\p{L}\\p{N}])?)`,
  ];
  return new RegExp(values.join("|"), "giu");
}
/** Passes after which a text is stable; further ones only matter for texts made to need them. */
const passCountMax = 8;

/**
 * Masks ids, tokens, one-time codes, dates, times and the volatile parts of URLs; keeps words, quantities and amounts of
 * money. `codes` are one-time codes that were found in the text. Idempotent, linear in the text.
 */
export function normaliseText(text: string, codes: readonly string[] = []): NormalisedText {
  const known = new Set(codes);
  let current: NormalisedText = {
    text: text.replaceAll(/\s+/gu, " ").trim(),
    values: [],
  };
  for (let pass = 0; pass < passCountMax; pass += 1) {
    const next = maskOnce(current, known);
    if (next.text === current.text) return pass === 0 ? next : current;
    current = next;
  }
  return current;
}

function maskOnce({ text, values }: NormalisedText, codes: ReadonlySet<string>): NormalisedText {
  const found: string[] = [];
  let known = 0;
  const replace = (original: string, masked: string): string => {
    if (masked === original && !masked.includes(mask)) return masked;
    const before = values.slice(known, known + countMasks(original));
    known += before.length;
    const count = countMasks(masked);
    for (let index = 0; index < count; index += 1) {
      found.push((masked === original ? before[index] : before[0]) ?? original);
    }
    return masked;
  };
  const chunks: string[] = [];
  let end = 0;
  for (const { index, 0: match, 1: url, 2: amount, 3: cue = "", 4: id, 5: word } of text.matchAll(volatileValues())) {
    chunks.push(text.slice(end, index));
    end = index + match.length;
    if (amount !== undefined) chunks.push(match);
    else if (word !== undefined) chunks.push(replace(match, maskWord(match, codes)));
    else if (url !== undefined) chunks.push(replace(match, normaliseUrl(match)));
    else if (id !== undefined) chunks.push(cue, replace(id, mask));
    else chunks.push(replace(match, mask));
  }
  chunks.push(text.slice(end));
  return { text: chunks.join(""), values: found };
}

function countMasks(text: string): number {
  return text.split(mask).length - 1;
}

function monthNames(languages: readonly string[]): readonly string[] {
  const names = languages.flatMap((language) =>
    (["long", "short"] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, {
        month,
        timeZone: "UTC",
      });
      return Array.from({ length: 12 }, (_, index) => format.format(Date.UTC(2026, index, 15)).replace(/\.$/, ""));
    }),
  );
  return [...new Set(names)]
    .filter((name) => /^\p{L}+$/u.test(name))
    .toSorted((one, other) => other.length - one.length);
}

// Masking of tokens in URLs.

/** Character that stands for a masked value (U+FFFC OBJECT REPLACEMENT CHARACTER): neither a letter nor a digit. */
export const mask = "\uFFFC";

const separators = /([/?&=#;:,])/;
const segmentWordLengthMax = 20;

/**
 * Replaces each segment of path, query and fragment that is not made of words by {@link mask}: ids, tokens, numbers, times,
 * and anything encoded. Scheme and host are put in lower case. Idempotent, linear in the URL.
 */
export function normaliseUrl(url: string): string {
  const [scheme = "", authority = "", rest = ""] = divide(url);
  const shown = rest.split(separators).map((piece, index) => (index % 2 === 1 || isWordLike(piece) ? piece : mask));
  return `${scheme.toLowerCase()}${authority.toLowerCase()}${shown.join("")}`;
}

/** Returns the scheme with its slashes, the authority, and everything after. */
function divide(url: string): readonly string[] {
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]{0,19}:(?:\/\/)?)/i.exec(url) ?? [];
  if (!scheme.endsWith("//")) return [scheme, "", url.slice(scheme.length)];
  const start = scheme.length;
  const end = /[/?#]/.exec(url.slice(start))?.index ?? url.length - start;
  return [scheme, url.slice(start, start + end), url.slice(start + end)];
}

/**
 * Whether a segment consists of words as people write them, separated by punctuation: `blue-lamp`, `index.html`. Characters
 * of private use are left aside: they stand for values that have a name.
 */
function isWordLike(segment: string): boolean {
  return segment
    .replaceAll(/\p{Co}/gu, "")
    .split(/[-_.~!*'()]/)
    .every((word) => word.length <= segmentWordLengthMax && /^(?:\p{Lu}?\p{Ll}*|\p{Lu}*)$/u.test(word));
}
