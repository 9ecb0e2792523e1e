/** Functions that the checks of event webhooks and of inbound shapes share. */
import fc from "fast-check";
import { expect } from "vitest";
import { codePoint } from "../../testing/code-point.test-aid.ts";

/** Fails unless a receiver refuses a request; errors of its verification are refusals. */
export async function expectRefused(change: string, isAccepted: () => Promise<boolean>): Promise<void> {
  const result = await isAccepted().catch(() => false);
  expect([change, result]).toEqual([change, false]);
}

/** Returns texts with what breaks JSON, forms, header fields or addresses; up to 16 kB. */
export function hostileText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: codePoint, maxLength: 40 }),
    fc.constantFrom(
      "",
      "\u0000",
      "\r\nX-Injected: yes",
      '"; filename="x.exe"\r\n\r\n--x',
      "\uD800",
      "__proto__",
      "constructor",
      "</script>\u2028",
      "ü@bücher.example",
      "'\"\\`$(x)%0d%0a",
      "€".repeat(5000),
      "a".repeat(16 * 1024),
    ),
  );
}

/** Returns whether Node sends the header field as it is, as one line of ASCII. */
export function isPrintableHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}
