import { givenCriteria } from "../../../core/criteria.ts";
import type { EventHub, EventMessage, ServerEvent } from "../../../core/events.ts";
import type { ServerId } from "../../../core/ids.ts";
import { KeySlots } from "../../../core/key-slots.ts";
import type { Limits } from "../../../core/limits.ts";
import type { Direction } from "../../../core/message.ts";
import { evaluate, hasTerm, type SearchExpression, type SearchTerm } from "../../../core/search/search-expression.ts";
import type { FoldedCriteria } from "../../../store/store.ts";
import { matchesCriteria } from "./criteria-match.ts";

/** Messages that a waiting request waits for. */
export interface Interest {
  readonly server: ServerId;
  readonly direction: Direction;
  /** With {@link expression}, those that every match meets too; possibly none. */
  readonly criteria: FoldedCriteria;
  readonly expression?: SearchExpression | null;
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
  if (change?.kind === "marked") {
    for (const waiter of allWaiters(queue)) if (dependsOnMarks(waiter.interest)) waiter.wake(change.sequence);
  }
  if (message === null) return;
  const direction: Direction = change.kind === "sent" ? "Sent" : "Received";
  for (const waiter of candidates(queue, message)) {
    const { interest } = waiter;
    if (interest.direction === direction && mayInterest(message, interest)) {
      waiter.wake(event.change.sequence);
    }
  }
}

function wakeAll(queue: ServerQueue): void {
  for (const waiter of allWaiters(queue)) waiter.wake(null);
}

function allWaiters({ byRecipient, others }: ServerQueue): readonly Waiter[] {
  return [others, ...byRecipient.values()].flatMap((waiters) => [...waiters]);
}

/** Returns whether changes of flags and tags can make a message match. */
function dependsOnMarks({ expression = null }: Interest): boolean {
  return expression !== null && hasTerm(expression, "flag", "tagged", "tag", "tagText");
}

/** Returns false for a message that cannot match. */
function mayInterest(message: EventMessage, { criteria, expression = null }: Interest): boolean {
  if (!matchesCriteria(message, criteria)) return false;
  return expression === null || evaluate(expression, (term) => meetsKnownTerm(message, term)) !== false;
}

/** Returns whether a new message meets a term; null when only the store knows. */
function meetsKnownTerm(message: EventMessage, term: SearchTerm): boolean | null {
  if (term.kind === "text") return message[term.field]?.includes(term.term) ?? null;
  if (term.kind !== "key" || term.role === "tag") return term.kind === "always" ? true : null;
  return message[term.role]?.includes(term.key) ?? (term.role === "from" ? null : false);
}

function candidates(queue: ServerQueue, message: EventMessage): readonly Waiter[] {
  const found = Array.from(queue.others);
  for (const recipient of message.to) found.push(...(queue.byRecipient.get(recipient) ?? []));
  return found;
}
