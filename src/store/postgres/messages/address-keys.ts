import { hash } from "node:crypto";
import type { AddressRole } from "../../../core/criteria.ts";

/** Size of a key. */
export const addressKeyBytes = 16;

/**
 * What an index holds in place of a folded address and its role: the first half of their SHA-256. Addresses have no bound
 * that an index could rely on, and two that share a key will not be found.
 */
export function addressKey(role: AddressRole, address: string): Buffer {
  return hash("sha256", `${role}:${address}`, "buffer").subarray(0, addressKeyBytes);
}

/** The keys in a column that holds them one after the other. */
export function splitKeys(keys: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: keys.length / addressKeyBytes }, (_, index) =>
    keys.subarray(index * addressKeyBytes, (index + 1) * addressKeyBytes),
  );
}
