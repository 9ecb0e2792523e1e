/** One clock for all ages on the page. */
import { useSyncExternalStore, type ReactElement } from "react";
import { formatAge, formatInstant } from "./format.ts";

const tickMs = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer = 0;

/** The time, in milliseconds since the epoch, up to date every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** How long ago an instant was, up to date every second; the instant itself on pointing. */
export function Age({ instant }: { readonly instant: string }): ReactElement {
  const shown = useNow();
  return (
    <time dateTime={instant} title={formatInstant(instant)} className="age">
      {formatAge(instant, Math.max(shown, Date.parse(instant)))}
    </time>
  );
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) timer = window.setInterval(tick, tickMs);
  now = Date.now();
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
