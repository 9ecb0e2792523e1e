/** Comparison of texts that an attacker may guess. */
import { timingSafeEqual } from "node:crypto";

/** Returns whether two texts are equal, in constant time for texts of the same length in UTF-8. */
export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
