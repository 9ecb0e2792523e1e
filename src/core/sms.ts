/** Encoding of SMS: 3GPP TS 23.038 §6.2.1 (GSM 7 bit default alphabet), §6.2.3 (UCS2), TS 23.040 §9.2.3.24.1. */

import { build, type ValueOf } from "./schema.ts";

/** Schema of the segmentation of an SMS. */
export const segmentationSchema = build.object(
  {
    encoding: build.enum(["GSM-7", "UCS-2"], "Character encoding on the air interface."),
    segments: build.integer({ minimum: 1, description: "Number of segments that the SMS takes." }),
  },
  { $id: "SmsSegmentation" },
);

/** Alphabet and number of segments of an SMS, which has one even when it is empty. */
export type SmsSegmentation = ValueOf<typeof segmentationSchema>;

/** The position of a character is its code; 0x1b is the escape. */
const basicAlphabet =
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/** Characters encoded as an escape and one more septet. */
const extensionAlphabet = "\f^{}\\[~]|€";

const basic: ReadonlySet<string> = new Set(basicAlphabet);
const extension: ReadonlySet<string> = new Set(extensionAlphabet);

/** Septets or 16-bit units of a single segment, and of one of several, which has a header of six bytes. */
const gsmUnits = { alone: 160, joined: 153 } as const;
const ucsUnits = { alone: 70, joined: 67 } as const;

/**
 * Counts the segments of an SMS: GSM-7 when it contains every character, UCS-2 otherwise. Neither an escaped character nor
 * a surrogate pair is split between two segments.
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

/** Returns the septets of a character; 0 when it is not in the alphabet. */
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
