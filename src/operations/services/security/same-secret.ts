import { createHash, timingSafeEqual } from "node:crypto";

/** Returns whether two secrets are equal, in a time that does not depend on where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}
