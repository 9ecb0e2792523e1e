import { hash } from "node:crypto";
import type { KeyRole } from "../../../core/criteria.ts";

/** Size of a key. */
export const addressKeyBytes = 16;

/**
 * Returns the index key of a folded address or a label in a role: the first half of its SHA-256. Addresses are too long for an
 * index; collisions are not expected.
 */
export function addressKey(role: KeyRole, address: string): Buffer {
  return hash("sha256", `${role}:${address}`, "buffer").subarray(0, addressKeyBytes);
}

/** Splits a column of concatenated keys. */
export function splitKeys(keys: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: keys.length / addressKeyBytes }, (_, index) =>
    keys.subarray(index * addressKeyBytes, (index + 1) * addressKeyBytes),
  );
}
