/** Event hub that also publishes the changes that other nodes commit. */
import type { BackgroundTask } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { EventHub, ServerEvent, ServerListener } from "../../../core/events.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Tracing } from "../../../core/tracing.ts";
import type { ChangeEvent, NodeStore } from "../../../store/node-store.ts";
import type { Revocations } from "../../../core/api-key.ts";

/** Dependencies of {@link SharedEvents}. */
interface SharedEventsOptions {
  /** Hub of this node. */
  readonly hub: EventHub;
  readonly nodes: Pick<NodeStore, "notify" | "onNotification" | "readSequences" | "readEvents">;
  readonly clock: Pick<Clock, "after">;
  /** Reporter of the background task. */
  readonly task: Pick<BackgroundTask, "succeeded" | "failed">;
  /** Recorder of spans, which learns the traces of changes of other nodes. */
  readonly tracing: Pick<Tracing, "current" | "stored">;
}

/** Progress of this node's subscribers of a server. */
interface Watch {
  readonly server: ServerId;
  listenerCount: number;
  /** Sequence number up to which all changes were published; null before the first. */
  published: number | null;
  /** Published commits of this node after `published`; the changes between are those of other nodes. */
  readonly ahead: Set<number>;
  /** Last sequence number known to be committed. */
  known: number;
  isReading: boolean;
}

/** Polling interval in milliseconds: the delay after a lost notification. */
const catchUpMs = 1000;
const readCountMax = 100;
/** Changes read at once; subscribers that are further behind query the store themselves. */
const behindCountMax = 500;
const aheadCountMax = 1000;

/**
 * Notifies the other nodes of local changes, and publishes theirs to local subscribers: at once on their notification, else
 * within a second by one query for all servers. Events of one server are ordered, but those of this node may precede earlier
 * ones of others, and an event may be repeated.
 */
export class SharedEvents implements EventHub {
  readonly #options: SharedEventsOptions;
  readonly #watches = new Map<ServerId, Watch>();
  #cancelTick: (() => void) | null = null;
  #isClosed = false;

  constructor(options: SharedEventsOptions) {
    this.#options = options;
    options.nodes.onNotification((notification) => {
      if (notification.kind === "traced") {
        options.tracing.stored(notification.server, notification.sequence, notification.span);
      }
      if (notification.kind !== "changed") return;
      const watch = this.#watches.get(notification.server);
      if (watch !== undefined) this.#learn(watch, notification.sequence);
    });
  }

  publish(event: ServerEvent): void {
    const { hub, nodes, tracing } = this.#options;
    hub.publish(event);
    if (event.change === null) return;
    const { server } = event;
    const { sequence } = event.change;
    const span = tracing.current();
    if (span !== undefined) nodes.notify({ kind: "traced", server, sequence, span });
    nodes.notify({ kind: "changed", server, sequence });
    const watch = this.#watches.get(server);
    if (watch !== undefined) noteOwn(watch, sequence);
  }

  subscribe(server: ServerId, listener: ServerListener): () => void {
    const unsubscribe = this.#options.hub.subscribe(server, listener);
    const watch = this.#watches.get(server) ?? newWatch(server);
    watch.listenerCount += 1;
    this.#watches.set(server, watch);
    this.#planTick();
    let isListening = true;
    return () => {
      unsubscribe();
      if (isListening) watch.listenerCount -= 1;
      isListening = false;
      if (watch.listenerCount === 0 && this.#watches.get(server) === watch) this.#watches.delete(server);
    };
  }

  hasListeners(server: ServerId): boolean {
    return this.#options.hub.hasListeners(server);
  }

  noteSeen(server: ServerId, sequence: number): void {
    const watch = this.#watches.get(server);
    if (watch === undefined) return;
    // A subscriber that has seen less may have subscribed later, so the changes are published again.
    watch.known = Math.max(watch.known, watch.published ?? 0);
    watch.published = Math.min(watch.published ?? sequence, sequence);
    settle(watch);
    void this.#read(watch);
  }

  /** Stops reading from the store. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTick?.();
    this.#watches.clear();
  }

  #planTick(): void {
    if (this.#isClosed || this.#watches.size === 0 || this.#cancelTick !== null) return;
    this.#cancelTick = this.#options.clock.after(catchUpMs, () => {
      void this.#catchUp().finally(() => {
        this.#cancelTick = null;
        this.#planTick();
      });
    });
  }

  async #catchUp(): Promise<void> {
    try {
      const watched = [...this.#watches.values()].flatMap(({ server, published }) =>
        published === null ? [] : [{ server, published }],
      );
      if (watched.length === 0) return;
      const sequences = await this.#options.nodes.readSequences(watched.map(({ server }) => server));
      this.#options.task.succeeded();
      for (const { server, published } of watched)
        this.#compare(server, { published, sequence: sequences.get(server) ?? published });
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  /** `published` was read before the sequence number. */
  #compare(server: ServerId, { published, sequence }: { readonly published: number; readonly sequence: number }): void {
    const watch = this.#watches.get(server);
    if (watch === undefined) return;
    // Sequence numbers restart when a server is deleted and created again.
    if (sequence < published) this.#skipTo(watch, sequence);
    else this.#learn(watch, sequence);
  }

  #learn(watch: Watch, sequence: number): void {
    watch.known = Math.max(watch.known, sequence);
    void this.#read(watch);
  }

  async #read(watch: Watch): Promise<void> {
    if (watch.isReading) return;
    watch.isReading = true;
    try {
      while (isBehind(watch) && this.#watches.get(watch.server) === watch) {
        if (!(await this.#readSome(watch))) break;
      }
    } catch (error) {
      this.#reportFailure(error);
    } finally {
      watch.isReading = false;
    }
  }

  /** Returns false when there is nothing to read yet. */
  async #readSome(watch: Watch): Promise<boolean> {
    const from = watch.published ?? watch.known;
    const isFar = watch.known - from > behindCountMax;
    const events = isFar ? undefined : await this.#options.nodes.readEvents(watch.server, from, readCountMax);
    if (events === undefined) this.#skipTo(watch, watch.known);
    for (const event of events ?? []) this.#publishOnce(watch, event);
    return events?.length !== 0;
  }

  #publishOnce(watch: Watch, event: ChangeEvent): void {
    const { sequence } = event.change;
    if (watch.published === null || sequence !== watch.published + 1) return;
    const wasPublished = watch.ahead.delete(sequence);
    watch.published = sequence;
    settle(watch);
    if (!wasPublished) this.#options.hub.publish(event);
  }

  #skipTo(watch: Watch, sequence: number): void {
    watch.published = sequence;
    watch.known = sequence;
    watch.ahead.clear();
    this.#options.hub.publish({ server: watch.server, change: null, message: null });
  }

  #reportFailure(error: unknown): void {
    if (!this.#isClosed) this.#options.task.failed(error, catchUpMs);
  }
}

function isBehind({ published, known }: Watch): boolean {
  return published !== null && published < known;
}

function newWatch(server: ServerId): Watch {
  return { server, listenerCount: 0, published: null, ahead: new Set(), known: 0, isReading: false };
}

function noteOwn(watch: Watch, sequence: number): void {
  // Evicting an entry may only repeat an event.
  if (watch.ahead.size >= aheadCountMax) watch.ahead.clear();
  watch.ahead.add(sequence);
  settle(watch);
}

function settle(watch: Watch): void {
  if (watch.published === null) return;
  while (watch.ahead.delete(watch.published + 1)) watch.published += 1;
  for (const sequence of watch.ahead) if (sequence <= watch.published) watch.ahead.delete(sequence);
}

/** Returns revocations that notify other nodes and are notified by them. */
export function shareRevocations(own: Revocations, nodes: Pick<NodeStore, "notify" | "onNotification">): Revocations {
  nodes.onNotification((notification) => {
    if (notification.kind === "revoked") own.publish(notification.keyId);
  });
  return {
    subscribe: own.subscribe,
    publish: (keyId) => {
      own.publish(keyId);
      nodes.notify({ kind: "revoked", keyId });
    },
  };
}
