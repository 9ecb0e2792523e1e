/** Index keys of a message, as they are stored. */
import { labelRoles, type KeyRole, type LabelKeys } from "../../../core/criteria.ts";

/** Stored numbers of the roles of a key. */
export const keyRoles: Readonly<Record<KeyRole, number>> = { from: 0, to: 1, provider: 2, tag: 3, providerId: 4 };

/** Keys of a message as they are stored with its content; messages without labels have no third member. */
export type StoredKeys = readonly [from: readonly string[], to: readonly string[], labels?: LabelKeys];

/** Returns the stored form of the keys of a message. */
export function storedKeys({
  from,
  to,
  labels,
}: {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly labels: LabelKeys;
}): StoredKeys {
  return Object.keys(labels).length === 0 ? [from, to] : [from, to, labels];
}

/** Yields the keys of a message with their roles. */
export function* keysIn([from, to, labels = {}]: StoredKeys): Generator<readonly [KeyRole, string]> {
  for (const key of from) yield ["from", key];
  for (const key of to) yield ["to", key];
  for (const role of labelRoles) for (const key of labels[role] ?? []) yield [role, key];
}
