/** Text without the values that differ between two renderings of one message. */
import { mask } from "./mask.ts";
import { normaliseUrl } from "./normalise-url.ts";
import { maskWord } from "./volatile-words.ts";

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
