import type { Change } from "../../core/events.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { noMarks, type Marks } from "../../core/marks.ts";
import { countMessages, openChanges, readListed, readSummary } from "../mailbox.ts";
import type { CatcherSubscriber } from "../catcher.ts";
import { toMailpitSummary } from "./shapes.ts";

/** Time after a change in which the numbers of messages are collected, in milliseconds. */
const statsMs = 250;
/** Messages whose marks are compared with their last known ones; the oldest are forgotten. */
const knownMarksMax = 5000;
/** Messages of one change of which each has an event. */
const updateCountMax = 200;

/**
 * Yields the events of a server as texts: `new`, `update`, `delete`, `truncate`, `prune`, and `stats` after each of them, at
 * most four times a second. Ends when the subscriber disconnects.
 */
export async function* streamEvents(subscriber: CatcherSubscriber): AsyncGenerator<string, void> {
  const { context } = subscriber;
  const changes = await openChanges(subscriber);
  const events = new ServerEvents(subscriber);
  let cancelStats = (): void => undefined;
  const startStats = async (): Promise<"stats"> =>
    new Promise((resolve) => {
      cancelStats = context.clock.after(statsMs, () => {
        resolve("stats");
      });
    });
  let next = changes.next();
  let stats: Promise<"stats"> | null = startStats();
  try {
    for (;;) {
      const result = await (stats === null ? next : Promise.race([next, stats]));
      if (result === "stats") {
        stats = null;
        yield await events.stats();
        continue;
      }
      if (result.done === true) return;
      next = changes.next();
      if (result.value === null) continue;
      yield* events.of(result.value);
      stats ??= startStats();
    }
  } finally {
    cancelStats();
    // The iteration may end between two changes: the next one, or its failure, concerns nobody.
    next.catch(() => undefined);
    void changes.return(undefined);
  }
}

/** Events of the changes of one server. */
class ServerEvents {
  readonly #subscriber: CatcherSubscriber;
  readonly #known = new Map<MessageId, Marks>();

  constructor(subscriber: CatcherSubscriber) {
    this.#subscriber = subscriber;
  }

  async stats(): Promise<string> {
    const { total, unread } = await countMessages(this.#subscriber);
    return event("stats", { Total: total, Unread: unread, Version: `restante ${this.#subscriber.version}` });
  }

  async *of({ kind, id, sequence }: Change): AsyncGenerator<string, void> {
    if (id !== null && decodeMessageId(id).direction !== "Received") return;
    if (kind === "emptied") yield event("truncate", null);
    else if (kind === "marked") yield* this.#marked(id, sequence);
    else if (id === null) return;
    else if (kind === "deleted") {
      this.#known.delete(id);
      yield event("delete", { ID: id });
    } else if (kind === "received") yield* this.#received(id);
  }

  async *#received(id: MessageId): AsyncGenerator<string, void> {
    const summary = await readSummary(this.#subscriber, id);
    if (summary === undefined) return;
    const [message] = await readListed(this.#subscriber, [summary], (listed) => {
      this.#remember(id, listed.marks);
      return toMailpitSummary(listed, [[], []]);
    });
    if (message === undefined) return;
    yield event("new", message);
  }

  async *#marked(id: MessageId | null, sequence: number): AsyncGenerator<string, void> {
    const { context, server } = this.#subscriber;
    if (id !== null) {
      const [marked] = await context.store.marks.readMarks(server, [id]);
      yield* this.#updated(id, marked?.marks ?? noMarks);
      return;
    }
    const listed = await context.store.marks.listMarks(server, sequence - 1, updateCountMax + 1);
    const marked = listed.filter((one) => one.sequence === sequence);
    if (marked.length > updateCountMax) {
      this.#known.clear();
      yield event("prune", null);
      return;
    }
    for (const one of marked) {
      if (decodeMessageId(one.id).direction === "Received") yield* this.#updated(one.id, one.marks);
    }
  }

  /** Yields what has changed; everything when the former marks are not known, and nothing for flags that Mailpit lacks. */
  *#updated(id: MessageId, marks: Marks): Generator<string, void> {
    const former = this.#known.get(id);
    this.#remember(id, marks);
    const isRead = marks.flags.includes("seen");
    const isReadChanged = former === undefined || former.flags.includes("seen") !== isRead;
    const areTagsChanged = former === undefined || former.tags.join("\n") !== marks.tags.join("\n");
    if (!isReadChanged && !areTagsChanged) return;
    yield event("update", {
      ID: id,
      ...(isReadChanged && { Read: isRead }),
      ...(areTagsChanged && { Tags: marks.tags }),
    });
  }

  #remember(id: MessageId, marks: Marks): void {
    this.#known.delete(id);
    this.#known.set(id, marks);
    const [oldest] = this.#known.keys();
    if (this.#known.size > knownMarksMax && oldest !== undefined) this.#known.delete(oldest);
  }
}

function event(type: string, data: unknown): string {
  return JSON.stringify({ Type: type, Data: data });
}
