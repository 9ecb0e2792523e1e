import type { Change, EventHub, EventMessage, ServerEvent } from "../../../core/events.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { KeySlots } from "../../../core/key-slots.ts";
import type { Limits } from "../../../core/limits.ts";
import type { Direction } from "../../../core/message.ts";
import {
  dependsOnMarks,
  evaluate,
  occurringTerms,
  requiredTerms,
  type SearchExpression,
  type SearchTerm,
} from "../../../core/search/search-expression.ts";

interface Range {
  first: number;
  last: number;
}

/** Number of ranges; those of the oldest changes are forgotten first. */
const rangeCountMax = 64;

/**
 * Changes of a server, by sequence number, that were compared with its waiters. Those of this node come before earlier ones of
 * other nodes, and some never come.
 */
export class ComparedChanges {
  /** Ascending; between two of them, at least one change is missing. */
  readonly #ranges: Range[] = [];

  /** Last compared change; 0 for none. */
  get last(): number {
    return this.#ranges.at(-1)?.last ?? 0;
  }

  /** Adds a change, which may be a repeated one. */
  add(sequence: number): void {
    const after = this.#ranges.findLastIndex(({ first }) => first <= sequence) + 1;
    const [before, next] = [this.#ranges[after - 1], this.#ranges[after]];
    if (before !== undefined && sequence <= before.last) return;
    const joinsNext = next?.first === sequence + 1;
    if (before?.last === sequence - 1) {
      before.last = joinsNext ? next.last : sequence;
      if (joinsNext) this.#ranges.splice(after, 1);
    } else if (joinsNext) next.first = sequence;
    else this.#ranges.splice(after, 0, { first: sequence, last: sequence });
    if (this.#ranges.length > rangeCountMax) this.#ranges.shift();
  }

  /** Returns the first change from which all up to this one were compared; the one after it when it was not compared itself. */
  firstBefore(sequence: number): number {
    const range = this.#ranges.findLast(({ first }) => first <= sequence);
    return range === undefined || range.last < sequence ? sequence + 1 : range.first;
  }

  /** Forgets all changes. */
  clear(): void {
    this.#ranges.length = 0;
  }
}

/** Messages that a waiting request waits for. */
export interface Interest {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly expression: SearchExpression;
}

/** New message that certainly meets an interest. */
export interface NewMatch {
  readonly id: MessageId;
  /** Sequence number of its change. */
  readonly sequence: number;
  /** First change from which all up to this one were compared with the interest, none of which makes older messages match. */
  readonly comparedFrom: number;
  readonly summaryJson: Uint8Array;
}

/** Waiting request. */
export interface Waiter {
  /** Id of the waiting key. */
  readonly key: string;
  readonly interest: Interest;
  /**
   * Called for every message that may match: with the sequence number of its change, null when one may have been missed, and
   * with the message where it matches for certain.
   */
  readonly wake: (sequence: number | null, match: NewMatch | null) => void;
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
  readonly byRecipient: Map<string, Set<QueuedWaiter>>;
  readonly others: Set<QueuedWaiter>;
  readonly unsubscribe: () => void;
  readonly compared: ComparedChanges;
}

interface QueuedWaiter extends Waiter {
  /** First change that is compared with its interest. */
  readonly comparedFrom: number;
}

/** Creates an empty set of waiters with one subscription of the hub per server. */
export function createWaiters(
  events: Pick<EventHub, "subscribe">,
  { waiterCountMax, waiterCountPerKeyMax }: Pick<Limits, "waiterCountMax" | "waiterCountPerKeyMax">,
): Waiters {
  const slots = new KeySlots(waiterCountPerKeyMax, "waiting searches");
  const queues = new Map<ServerId, ServerQueue>();
  const waiting = new Set<QueuedWaiter>();
  let isClosed = false;
  const hasRoom = (): boolean => !isClosed && waiting.size < waiterCountMax;

  const queueOf = (server: ServerId): ServerQueue => {
    const existing = queues.get(server);
    if (existing !== undefined) return existing;
    const unsubscribe = events.subscribe(server, (event) => {
      // Those that were not published may come later, or never.
      if (event.change === null) queue.compared.clear();
      else queue.compared.add(event.change.sequence);
      wakeMatching(queue, event);
    });
    const queue: ServerQueue = {
      byRecipient: new Map(),
      others: new Set(),
      unsubscribe,
      compared: new ComparedChanges(),
    };
    queues.set(server, queue);
    return queue;
  };

  const leave = (waiter: QueuedWaiter): void => {
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
      const queue = queueOf(waiter.interest.server);
      const queued: QueuedWaiter = { ...waiter, comparedFrom: queue.compared.last + 1 };
      waiting.add(queued);
      insert(queue, queued);
      return () => {
        free();
        leave(queued);
      };
    },
    close() {
      isClosed = true;
      for (const waiter of waiting) waiter.end();
    },
  };
}

/** Returns the recipient that every match has; undefined when there is none. */
function neededRecipient({ expression }: Interest): string | undefined {
  for (const term of requiredTerms(expression)) if (term.kind === "key" && term.role === "to") return term.key;
  return undefined;
}

function insert(queue: ServerQueue, waiter: QueuedWaiter): void {
  const recipient = neededRecipient(waiter.interest);
  if (recipient === undefined) {
    queue.others.add(waiter);
    return;
  }
  const same = queue.byRecipient.get(recipient);
  if (same === undefined) queue.byRecipient.set(recipient, new Set([waiter]));
  else same.add(waiter);
}

function remove(queue: ServerQueue, waiter: QueuedWaiter): void {
  queue.others.delete(waiter);
  const recipient = neededRecipient(waiter.interest);
  if (recipient === undefined) return;
  const same = queue.byRecipient.get(recipient);
  same?.delete(waiter);
  if (same?.size === 0) queue.byRecipient.delete(recipient);
}

function wakeMatching(queue: ServerQueue, event: ServerEvent): void {
  const { change, message } = event;
  if (change === null) wakeAll(queue);
  if (change?.kind === "marked") {
    for (const waiter of allWaiters(queue))
      if (dependsOnMarks(waiter.interest.expression)) waiter.wake(change.sequence, null);
  }
  if (message === null) return;
  const direction: Direction = change.kind === "sent" ? "Sent" : "Received";
  for (const waiter of candidates(queue, message)) {
    if (waiter.interest.direction !== direction) continue;
    const isMatch = evaluate(waiter.interest.expression, (term) => meetsKnownTerm(message, term));
    if (isMatch === false) continue;
    waiter.wake(change.sequence, isMatch === true ? matchOf(queue, waiter, { change, message }) : null);
  }
}

/** Returns the match; null without a summary, or when changes of older messages may make these match too. */
function matchOf(
  { compared }: ServerQueue,
  { interest, comparedFrom }: QueuedWaiter,
  { change, message: { summaryJson } }: { readonly change: Change; readonly message: EventMessage },
): NewMatch | null {
  const { sequence, id } = change;
  const isFixed = occurringTerms(interest.expression).every(({ term }) => isFixedTerm(term));
  if (!isFixed || summaryJson === undefined || id === null) return null;
  return { id, sequence, comparedFrom: Math.max(compared.firstBefore(sequence), comparedFrom), summaryJson };
}

function wakeAll(queue: ServerQueue): void {
  for (const waiter of allWaiters(queue)) waiter.wake(null, null);
}

function allWaiters({ byRecipient, others }: ServerQueue): readonly QueuedWaiter[] {
  return [others, ...byRecipient.values()].flatMap((waiters) => [...waiters]);
}

function isTag(term: SearchTerm): boolean {
  return term.kind === "key" && term.role === "tag";
}

/** Returns whether a new message meets a term, as in the store; null when only the store knows. */
export function meetsArrivalTerm(message: EventMessage, term: SearchTerm): boolean | null {
  if (term.kind === "text") return message[term.field]?.includes(term.term) ?? null;
  if (term.kind !== "key") return term.kind === "always" ? true : null;
  const keys = message[term.role];
  return keys === null ? null : keys?.includes(term.key) === true;
}

/** Returns whether a new message meets a term; null when only the store knows, as with tags of marks. */
function meetsKnownTerm(message: EventMessage, term: SearchTerm): boolean | null {
  const isMet = meetsArrivalTerm(message, term);
  return isMet === false && isTag(term) ? null : isMet;
}

/** Returns whether a term never changes for a message that was stored. */
function isFixedTerm(term: SearchTerm): boolean {
  return term.kind === "text" || term.kind === "always" || (term.kind === "key" && !isTag(term));
}

function candidates(queue: ServerQueue, message: EventMessage): readonly QueuedWaiter[] {
  if (message.to === null) return allWaiters(queue);
  const found = Array.from(queue.others);
  for (const recipient of message.to) found.push(...(queue.byRecipient.get(recipient) ?? []));
  return found;
}
