import { givenCriteria } from "../../../core/criteria.ts";
import type { EventHub, EventMessage, ServerEvent } from "../../../core/events.ts";
import type { ServerId } from "../../../core/ids.ts";
import { KeySlots } from "../../../core/key-slots.ts";
import type { Limits } from "../../../core/limits.ts";
import type { Direction } from "../../../core/message.ts";
import type { FoldedCriteria } from "../../../store/store.ts";
import { matchesCriteria } from "./criteria-match.ts";

/** Messages that a waiting request waits for. */
export interface Interest {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly criteria: FoldedCriteria;
}

/** Waiting request. */
export interface Waiter {
  /** Id of the waiting key. */
  readonly key: string;
  readonly interest: Interest;
  /** Called with the sequence number of every matching message; null when one may have been missed. */
  readonly wake: (sequence: number | null) => void;
  /** Called once when the service shuts down. */
  readonly end: () => void;
}

/** Requests that wait for messages. Waiting costs nothing until a message of the server is stored. */
export interface Waiters {
  /**
   * Adds a waiter until the returned function is called; returns undefined when there are too many. Throws
   * `too_many_requests` when its key has too many.
   */
  add(waiter: Waiter): (() => void) | undefined;
  /** Returns the number of waiters. */
  count(): number;
  /** Returns whether the key may add one more waiter. */
  hasRoom(key: string): boolean;
  /** Ends all waits and rejects new ones. */
  close(): void;
}

/**
 * Waiters of one server, indexed by recipient, so that with ten thousand parallel tests with an address each, a stored mail
 * costs one lookup per recipient.
 */
interface ServerQueue {
  readonly byRecipient: Map<string, Set<Waiter>>;
  readonly others: Set<Waiter>;
  readonly unsubscribe: () => void;
}

/** Creates an empty set of waiters with one subscription of the hub per server. */
export function createWaiters(
  events: Pick<EventHub, "subscribe">,
  { waiterCountMax, waiterCountPerKeyMax }: Pick<Limits, "waiterCountMax" | "waiterCountPerKeyMax">,
): Waiters {
  const slots = new KeySlots(waiterCountPerKeyMax, "waiting searches");
  const queues = new Map<ServerId, ServerQueue>();
  const waiting = new Set<Waiter>();
  let isClosed = false;
  const hasRoom = (): boolean => !isClosed && waiting.size < waiterCountMax;

  const queueOf = (server: ServerId): ServerQueue => {
    const existing = queues.get(server);
    if (existing !== undefined) return existing;
    const unsubscribe = events.subscribe(server, (event) => {
      wakeMatching(queue, event);
    });
    const queue: ServerQueue = { byRecipient: new Map(), others: new Set(), unsubscribe };
    queues.set(server, queue);
    return queue;
  };

  const leave = (waiter: Waiter): void => {
    const queue = queues.get(waiter.interest.server);
    if (!waiting.delete(waiter) || queue === undefined) return;
    remove(queue, waiter);
    if (queue.others.size > 0 || queue.byRecipient.size > 0) return;
    queue.unsubscribe();
    queues.delete(waiter.interest.server);
  };

  return {
    hasRoom: (key) => hasRoom() && slots.hasFree(key),
    count: () => waiting.size,
    add(waiter) {
      if (!hasRoom()) return undefined;
      const free = slots.take(waiter.key);
      waiting.add(waiter);
      insert(queueOf(waiter.interest.server), waiter);
      return () => {
        free();
        leave(waiter);
      };
    },
    close() {
      isClosed = true;
      for (const waiter of waiting) waiter.end();
    },
  };
}

/** Returns the recipient that every match has; undefined when there is none. */
function neededRecipient(criteria: FoldedCriteria): string | undefined {
  return criteria.match === "ALL" || givenCriteria(criteria).length === 1 ? criteria.sentTo : undefined;
}

function insert(queue: ServerQueue, waiter: Waiter): void {
  const recipient = neededRecipient(waiter.interest.criteria);
  if (recipient === undefined) {
    queue.others.add(waiter);
    return;
  }
  const same = queue.byRecipient.get(recipient);
  if (same === undefined) queue.byRecipient.set(recipient, new Set([waiter]));
  else same.add(waiter);
}

function remove(queue: ServerQueue, waiter: Waiter): void {
  queue.others.delete(waiter);
  const recipient = neededRecipient(waiter.interest.criteria);
  if (recipient === undefined) return;
  const same = queue.byRecipient.get(recipient);
  same?.delete(waiter);
  if (same?.size === 0) queue.byRecipient.delete(recipient);
}

function wakeMatching(queue: ServerQueue, event: ServerEvent): void {
  const { change, message } = event;
  if (change === null) wakeAll(queue);
  if (message === null) return;
  const direction: Direction = change.kind === "sent" ? "Sent" : "Received";
  for (const waiter of candidates(queue, message)) {
    const { interest } = waiter;
    if (interest.direction === direction && matchesCriteria(message, interest.criteria)) {
      waiter.wake(event.change.sequence);
    }
  }
}

function wakeAll({ byRecipient, others }: ServerQueue): void {
  for (const waiters of [others, ...byRecipient.values()]) for (const waiter of waiters) waiter.wake(null);
}

function candidates(queue: ServerQueue, message: EventMessage): readonly Waiter[] {
  const found = Array.from(queue.others);
  for (const recipient of message.to) found.push(...(queue.byRecipient.get(recipient) ?? []));
  return found;
}
