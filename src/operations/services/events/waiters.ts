import { givenCriteria } from "../../../core/criteria.ts";
import type { EventHub, EventMessage, ServerEvent } from "../../../core/events.ts";
import type { ServerId } from "../../../core/ids.ts";
import { KeySlots } from "../../../core/key-slots.ts";
import type { Limits } from "../../../core/limits.ts";
import type { Direction } from "../../../core/message.ts";
import type { FoldedCriteria } from "../../../store/store.ts";
import { matchesCriteria } from "./criteria-match.ts";

/** What a waiting request waits for. */
export interface Interest {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly criteria: FoldedCriteria;
}

/** Whoever waits. */
export interface Waiter {
  /** Names the key that waits. */
  readonly key: string;
  readonly interest: Interest;
  /** Called with the number of its change for every message that meets the interest; null: whoever may have missed one. */
  readonly wake: (sequence: number | null) => void;
  /** Called once when the service closes. */
  readonly end: () => void;
}

/** All requests that wait for a message. Waiting costs nothing until a message of the server arrives. */
export interface Waiters {
  /**
   * Lets the waiter wait until the returned function is called; undefined when there is no room for it. Throws
   * `too_many_requests` when its key has too many waiting.
   */
  add(waiter: Waiter): (() => void) | undefined;
  /** How many wait. */
  count(): number;
  /** Whether one more of the key may wait. */
  hasRoom(key: string): boolean;
  /** Ends everybody's wait; from now on nobody has room. */
  close(): void;
}

/**
 * The waiters of one server. Those who need a certain recipient are found by it, so that ten thousand parallel tests,
 * each with an address of its own, cost an arriving mail one look-up a recipient.
 */
interface ServerQueue {
  readonly byRecipient: Map<string, Set<Waiter>>;
  readonly others: Set<Waiter>;
  readonly unsubscribe: () => void;
}

/** No one waiting yet; hears of messages from the hub, one subscription per server with waiters. */
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

/** The recipient without whom nothing can match; undefined when other messages can. */
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
