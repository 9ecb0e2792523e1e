/** Ages of messages, updated by one timer for the whole page. */
import { useSyncExternalStore, type ReactElement } from "react";
import { formatAge, formatInstant } from "./format.ts";

const tickMs = 1000;
/** Ages are in minutes: they need no more renders than this. */
const agesTickMs = 10_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer = 0;

/** Returns the time in milliseconds since the epoch, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Age of an instant, as `formatAge` states it; the instant itself is the tooltip. */
export function Age({ instant }: { readonly instant: string }): ReactElement {
  const shown = useSyncExternalStore(subscribe, agesNow);
  return (
    <time dateTime={instant} title={formatInstant(instant)}>
      {formatAge(instant, Math.max(shown, Date.parse(instant)))}
    </time>
  );
}

function agesNow(): number {
  return Math.floor(now / agesTickMs) * agesTickMs;
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
