/** Triples of greylisting in the store, for nodes that share one. */
import type { Clock } from "../../core/clock.ts";
import { Problem } from "../../core/errors.ts";
import type { ProviderObjectKey, ProviderObjectStore } from "../../store/provider-object-store.ts";
import { tripleMs, type TripleAges } from "./screen-recipient.ts";

/** Time for which a triple is kept that has not come back: longer than mail servers wait between attempts. */
const firstMs = 48 * 3_600_000;
/** Age of the last extension at which a triple that comes back is kept for {@link tripleMs} again. */
const extensionMs = 24 * 3_600_000;
/** Triples whose keys begin with the same two of 256 digits: a million in all, of which an insert counts few. */
const countMax = 4000;

const keyOf = (id: string): ProviderObjectKey => ({
  provider: "restante",
  server: null,
  kind: `greylist ${id.slice(0, 2)}`,
  id,
});

/**
 * Returns the ages of triples on all nodes, by their wall clocks: a read for each attempt, and a write for the first attempt of a
 * triple and for one on each day on which it comes back. Triples beyond the limit count as known. Rejects as the store.
 */
export function createSharedTriples(
  store: Pick<ProviderObjectStore, "getObject" | "putObject">,
  clock: Pick<Clock, "now">,
): TripleAges {
  return async (key) => {
    const now = clock.now();
    const known = await store.getObject(keyOf(key), now);
    if (known === undefined) return (await record(store, key, now)) ? 0 : Infinity;
    const { version, createdAt } = known;
    if ((known.expiresAt ?? Infinity) < now + tripleMs - extensionMs)
      await store.putObject({ ...keyOf(key), json: "null", version, now, expiresAt: now + tripleMs, countMax });
    return now - createdAt;
  };
}

/** Records a first attempt; false when there are too many. Another node may be faster, whose attempt is then the first. */
async function record(store: Pick<ProviderObjectStore, "putObject">, key: string, now: number): Promise<boolean> {
  try {
    await store.putObject({ ...keyOf(key), json: "null", version: 0, now, expiresAt: now + firstMs, countMax });
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === "limit_reached") return false;
    throw error;
  }
}
