/** Drafts that survive closing their form, until they are sent or the page is left. */
import { useState } from "react";

const drafts = new Map<string, unknown>();
/** Most drafts that are kept; beyond it the oldest are dropped. */
const draftCountMax = 50;

/** Returns the draft with a name, a function that changes it and one that removes it; `empty` when there is none. */
export function useSavedDraft<Draft>(
  name: string,
  empty: Draft,
): readonly [Draft, (change: Partial<Draft>) => void, () => void] {
  const [draft, setDraft] = useState<Draft>(() => (drafts.get(name) as Draft | undefined) ?? empty);
  const change = (changed: Partial<Draft>): void => {
    const next = { ...draft, ...changed };
    drafts.delete(name);
    drafts.set(name, next);
    for (const oldest of drafts.keys()) {
      if (drafts.size <= draftCountMax) break;
      drafts.delete(oldest);
    }
    setDraft(next);
  };
  const remove = (): void => {
    drafts.delete(name);
  };
  return [draft, change, remove];
}
