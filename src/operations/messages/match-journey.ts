import type { Journey, JourneyStep } from "../../core/journey.ts";
import type { Summary } from "../../core/message.ts";

/** State of the server that a journey is compared with. */
export interface JourneyView {
  /** Messages that match each step, by position of the step, oldest first. */
  readonly matches: readonly (readonly Summary[])[];
  /** Instant after which the first quiet time counts when no message precedes it, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly now: number;
  /** Milliseconds since the start of the wait, and for how many messages are awaited, apart from quiet times. */
  readonly elapsedMs: number;
  readonly timeoutMs: number;
}

/** Step that was not met: its position, and the unexpected messages or those that do not count. */
export interface UnmetStep {
  readonly step: number;
  readonly reason: "missing" | "unexpected";
  readonly messages: readonly Summary[];
}

/** Comparison of a journey with a view. */
export interface JourneyMatch {
  /** Messages of each step, oldest first; a message belongs to one step at most. */
  readonly messages: readonly (readonly Summary[])[];
  /** Steps that are not met and will not be; empty when all are met, or while some may still be. */
  readonly failed: readonly UnmetStep[];
  /** Milliseconds after which the result changes without a new message; null when the result is final. */
  readonly changesAfterMs: number | null;
}

/**
 * Compares a journey with the messages that match its steps. In the given order, a step takes the earliest messages after
 * those of the step before; in any order, as many steps as possible are met. Depends only on its arguments. Takes time
 * proportional to the expected messages, squared, times the matches of a step.
 */
export function matchJourney(journey: Journey, view: JourneyView): JourneyMatch {
  return journey.order === "given" ? matchInOrder(journey.steps, view) : matchInAnyOrder(journey.steps, view);
}

function matchInOrder(steps: readonly JourneyStep[], view: JourneyView): JourneyMatch {
  const messages: (readonly Summary[])[] = [];
  let previous: Place = { last: null, quietUntil: -Infinity, quietMs: 0 };
  for (const [step, { count, quietMs }] of steps.entries()) {
    const all = view.matches[step] ?? [];
    const later = all.filter((one) => isLater(one, previous));
    const taken = later.slice(0, count);
    messages.push(taken);
    if (count > 0) {
      if (taken.length < count) {
        const others = all.filter((one) => !taken.includes(one));
        const leftMs = view.timeoutMs + previous.quietMs - view.elapsedMs;
        return unfinished(steps, messages, { leftMs, failed: [{ step, reason: "missing", messages: others }] });
      }
      previous = { ...previous, last: taken.at(-1) ?? null };
      continue;
    }
    const from = quietStart(previous, view.since);
    const until = from + quietMs;
    const unexpected = later.filter((one) => receivedMs(one) >= from && receivedMs(one) <= until);
    if (unexpected.length > 0) {
      return unfinished(steps, messages, { leftMs: 0, failed: [{ step, reason: "unexpected", messages: unexpected }] });
    }
    if (view.now <= until) return unfinished(steps, messages, { leftMs: until + 1 - view.now, failed: [] });
    previous = { last: previous.last, quietUntil: until, quietMs: previous.quietMs + quietMs };
  }
  return { messages, failed: [], changesAfterMs: null };
}

/** End of the steps that were met in order. */
interface Place {
  /** Last message that a step has. */
  readonly last: Summary | null;
  /** End of the last quiet time, in milliseconds since the Unix epoch. */
  readonly quietUntil: number;
  /** Sum of the quiet times, which do not count against the time-out. */
  readonly quietMs: number;
}

function isLater(one: Summary, { last, quietUntil }: Place): boolean {
  return receivedMs(one) > quietUntil && (last === null || compareAge(one, last) > 0);
}

function quietStart({ last, quietUntil }: Place, since: number): number {
  return Math.max(last === null ? since : receivedMs(last), quietUntil);
}

/** Returns the result of a journey with an unmet step: pending while time is left, else failed. */
function unfinished(
  steps: readonly JourneyStep[],
  messages: readonly (readonly Summary[])[],
  { leftMs, failed }: { readonly leftMs: number; readonly failed: readonly UnmetStep[] },
): JourneyMatch {
  const all = steps.map((_, step) => messages[step] ?? []);
  if (leftMs > 0) return { messages: all, failed: [], changesAfterMs: leftMs };
  return { messages: all, failed, changesAfterMs: null };
}

function matchInAnyOrder(steps: readonly JourneyStep[], view: JourneyView): JourneyMatch {
  const messages = assign(steps, view.matches);
  const assigned = new Set(messages.flat().map(({ id }) => id));
  const missing = steps.flatMap(({ count }, step): UnmetStep[] => {
    const others = (view.matches[step] ?? []).filter((one) => !(messages[step] ?? []).includes(one));
    return (messages[step]?.length ?? 0) < count ? [{ step, reason: "missing", messages: others }] : [];
  });
  const received = messages.flat().map((one) => receivedMs(one));
  const from = Math.min(view.since, ...received);
  const last = received.length === 0 ? view.since : Math.max(...received);
  for (const [step, { count, quietMs }] of steps.entries()) {
    if (count > 0) continue;
    const until = missing.length > 0 ? Infinity : last + quietMs;
    const unexpected = (view.matches[step] ?? []).filter((one) => {
      return !assigned.has(one.id) && receivedMs(one) >= from && receivedMs(one) <= until;
    });
    if (unexpected.length > 0) {
      return unfinished(steps, messages, { leftMs: 0, failed: [{ step, reason: "unexpected", messages: unexpected }] });
    }
    if (missing.length === 0 && view.now <= until)
      return unfinished(steps, messages, { leftMs: until + 1 - view.now, failed: [] });
  }
  if (missing.length === 0) return { messages, failed: [], changesAfterMs: null };
  return unfinished(steps, messages, { leftMs: view.timeoutMs - view.elapsedMs, failed: missing });
}

/**
 * Assigns each message to one step at most, so that as many expected messages as possible are found (a maximum matching of
 * a bipartite graph, by augmenting paths).
 */
function assign(
  steps: readonly JourneyStep[],
  matches: readonly (readonly Summary[])[],
): readonly (readonly Summary[])[] {
  // One slot for each expected message. With as many candidates as slots, a slot can always be filled.
  const slots = steps.flatMap(({ count }, step) => Array.from({ length: count }, () => step));
  const candidates = matches.map((found) => found.slice(0, slots.length));
  const slotOf = new Map<string, number>();
  const place = (slot: number, tried: Set<string>): boolean =>
    (candidates[slots[slot] ?? 0] ?? []).some(({ id }) => {
      if (tried.has(id)) return false;
      tried.add(id);
      const holder = slotOf.get(id);
      if (holder !== undefined && !place(holder, tried)) return false;
      slotOf.set(id, slot);
      return true;
    });
  for (const slot of slots.keys()) place(slot, new Set());
  return steps.map((_, step) =>
    (candidates[step] ?? []).filter(({ id }) => {
      const slot = slotOf.get(id);
      return slot !== undefined && slots[slot] === step;
    }),
  );
}

/** Compares two messages by the instant of receipt; those of one millisecond by id. */
export function compareAge(one: Summary, other: Summary): number {
  return receivedMs(one) - receivedMs(other) || (one.id < other.id ? -1 : Number(one.id > other.id));
}

function receivedMs({ received }: Summary): number {
  return Date.parse(received);
}
