/** How a text travels: 3GPP TS 23.038 §6.2.1 (GSM 7 bit default alphabet), §6.2.3 (UCS2), TS 23.040 §9.2.3.24.1. */

/** The alphabet of a text and how many messages carry it. */
export interface SmsSegmentation {
  readonly encoding: "GSM-7" | "UCS-2";
  /** At least 1, also for an empty text. */
  readonly segments: number;
}

/** Position is code; the escape at 0x1b is no character. */
const basicAlphabet =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Written as escape and one more septet. */
const extensionAlphabet = "\f^{}\\[~]|€";

const basic: ReadonlySet<string> = new Set(basicAlphabet);
const extension: ReadonlySet<string> = new Set(extensionAlphabet);

/** Septets or 16-bit units of a message on its own, and of one of several: each loses six bytes to a header. */
const gsmUnits = { alone: 160, joined: 153 } as const;
const ucsUnits = { alone: 70, joined: 67 } as const;

/**
 * Counts as operators bill: GSM-7 where every character has a place in it, UCS-2 otherwise. Neither an escaped
 * character nor a surrogate pair is torn apart between two messages.
 */
export function countSegments(text: string): SmsSegmentation {
  let units = 0;
  for (const character of text) {
    const width = gsmWidth(character);
    if (width === 0) return { encoding: "UCS-2", segments: segmentCount(text, ucsUnits, (one) => one.length) };
    units += width;
  }
  const segments = units <= gsmUnits.alone ? 1 : segmentCount(text, gsmUnits, gsmWidth);
  return { encoding: "GSM-7", segments };
}

/** Septets that a character takes; 0 when the alphabet does not have it. */
function gsmWidth(character: string): number {
  if (basic.has(character)) return 1;
  return extension.has(character) ? 2 : 0;
}

function segmentCount(text: string, units: typeof gsmUnits | typeof ucsUnits, width: (one: string) => number): number {
  let total = 0;
  let segments = 1;
  let used = 0;
  for (const character of text) {
    const size = width(character);
    total += size;
    if (used + size > units.joined) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return total <= units.alone ? 1 : segments;
}
