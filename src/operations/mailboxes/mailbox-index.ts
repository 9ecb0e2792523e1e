import { idToBytes, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Change } from "../../core/events.ts";
import type { Direction } from "../../core/message.ts";
import type { Context } from "../context.ts";
import { IdentityArrays, lowerBound } from "./identity-arrays.ts";

/** Mailbox of a server: the messages of one direction. */
export interface MailboxPlace {
  readonly server: ServerId;
  readonly direction: Direction;
}

const changeCountMax = 1000;

/**
 * Messages of a mailbox in memory, which all sessions that have it open share: 20 bytes each. The UID of a message is the
 * sequence number with which it was stored. Follows the journal of the server, so that UIDs ascend whatever node stores.
 */
export class MailboxIndex {
  readonly place: MailboxPlace;
  readonly #context: Context;
  readonly #unsubscribe: () => void;
  readonly #listeners = new Set<() => void>();
  #messages = new IdentityArrays();
  #cursor = -1;
  #uidNext = 1;
  #markedAt = 0;
  #uidValidity = 0;
  /** Greatest UID that a session may have been notified of as a new one. */
  #notifiedUpTo = 0;
  #isStale = true;
  #isReplaced = false;
  #refreshing: Promise<void> | null = null;

  constructor(context: Context, place: MailboxPlace) {
    this.#context = context;
    this.place = place;
    this.#unsubscribe = context.events.subscribe(place.server, () => {
      this.#isStale = true;
      for (const notify of Array.from(this.#listeners)) notify();
    });
  }

  /** UIDs in ascending order; never changes afterwards. */
  get uids(): Uint32Array {
    return this.#messages.uids;
  }

  /** Number of the last change that the index includes; no message or mark has a greater one. */
  get cursor(): number {
    return this.#cursor;
  }

  /** A UID that is greater than those of all messages so far, and that changes only when a message is added. */
  get uidNext(): number {
    return this.#uidNext;
  }

  /** Number of the last change of marks since the index was opened. */
  get markedAt(): number {
    return this.#markedAt;
  }

  /** UIDVALIDITY of the server, under which no UID is used twice. */
  get uidValidity(): number {
    return this.#uidValidity;
  }

  /** Whether the server was deleted, and perhaps created again. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  /** Number of messages that no session has been notified of. */
  get recentCount(): number {
    return this.uids.length - lowerBound(this.uids, this.#notifiedUpTo + 1);
  }

  /**
   * Returns the first UID that no session has been notified of; with `isTaken`, those up to `last` count as notified from now on.
   * After a start all do, because it is not known who was notified before (RFC 3501 section 2.3.2).
   */
  takeRecent(last: number, isTaken: boolean): number {
    const first = this.#notifiedUpTo + 1;
    if (isTaken) this.#notifiedUpTo = Math.max(this.#notifiedUpTo, last);
    return first;
  }

  /** Calls `notify` after each change of the server until the returned function is called. */
  subscribe(notify: () => void): () => void {
    this.#listeners.add(notify);
    return () => this.#listeners.delete(notify);
  }

  /** Stops following the server. */
  close(): void {
    this.#unsubscribe();
  }

  /**
   * Includes the changes that this node knows of, or with `isForced` all that were committed before the call. Rejects with
   * the problems of the store.
   */
  async refresh(isForced: boolean): Promise<void> {
    if (!isForced && !this.#isStale) return;
    const running = this.#refreshing;
    if (running !== null) {
      await running.catch(() => undefined);
      // The running call may have read before this one was made.
      if (this.#refreshing !== null && this.#refreshing !== running) return await this.#refreshing;
    }
    this.#refreshing = this.#read(isForced).finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  /** Returns the id of a message; undefined when it no longer exists. */
  idOf(uid: number): MessageId | undefined {
    const { uids } = this.#messages;
    const at = lowerBound(uids, uid);
    return uids[at] === uid ? this.#messages.idAt(at) : undefined;
  }

  /** Returns the UIDs of the given messages, without those that are not in the mailbox, in one pass over it. */
  uidsOf(ids: Iterable<MessageId>): ReadonlyMap<MessageId, number> {
    const { uids } = this.#messages;
    return new Map(Array.from(this.#messages.positionsOf(ids), ([id, at]) => [id, uids[at] ?? 0]));
  }

  async #read(isForced: boolean): Promise<void> {
    this.#isStale = false;
    try {
      if (isForced && this.#cursor >= 0) await this.#compareServer();
      if (this.#isReplaced) return;
      if (this.#cursor < 0) await this.#load();
      else await this.#follow();
    } catch (error) {
      this.#isStale = true;
      throw error;
    }
  }

  async #compareServer(): Promise<void> {
    const server = await this.#context.store.getServer(this.place.server);
    if (server?.uidValidity !== this.#uidValidity) this.#isReplaced = true;
  }

  async #follow(): Promise<void> {
    for (;;) {
      const changes = await this.#context.store.listChanges(this.place.server, this.#cursor, changeCountMax);
      if (changes === undefined) return await this.#load();
      this.#apply(changes);
      if (changes.length < changeCountMax) return;
    }
  }

  /** Reads all messages, when the journal no longer has the changes since the cursor. */
  async #load(): Promise<void> {
    const { store, events } = this.#context;
    const { server, direction } = this.place;
    const found = await store.getServer(server);
    if (found === undefined || (this.#cursor >= 0 && found.uidValidity !== this.#uidValidity)) {
      this.#isReplaced = true;
      return;
    }
    this.#uidValidity = found.uidValidity;
    const list = new IdentityArrays();
    let cursor: number | null = null;
    for (let after: MessageId | null = null, isMore = true; isMore;) {
      const page = await store.marks.listIdentities(server, direction, after);
      cursor ??= page.cursor;
      for (const { id, sequence } of page.identities) list.add(idToBytes(id), sequence);
      after = page.identities.at(-1)?.id ?? null;
      isMore = page.hasMore && after !== null;
    }
    this.#cursor = cursor ?? 0;
    // A message above the cursor is read again with the changes.
    this.#messages = list.ordered(this.#cursor);
    this.#uidNext = Math.max(this.#uidNext, this.#cursor + 1);
    this.#markedAt = this.#cursor;
    events.noteSeen(server, this.#cursor);
    await this.#follow();
  }

  #apply(changes: readonly Change[]): void {
    const added = this.place.direction === "Received" ? "received" : "sent";
    let removed = new Set<MessageId>();
    const flush = (): void => {
      if (removed.size > 0) this.#remove(removed);
      removed = new Set();
    };
    for (const { kind, id, sequence } of changes) {
      if (kind === "emptied") {
        this.#messages = new IdentityArrays();
        removed.clear();
      } else if (kind === "marked") this.#markedAt = sequence;
      else if (id !== null && kind === "deleted") removed.add(id);
      else if (id !== null && kind === added) {
        // A message that is stored again has been deleted before.
        if (removed.has(id)) flush();
        this.#messages.add(idToBytes(id), sequence);
        this.#uidNext = sequence + 1;
      }
      this.#cursor = sequence;
    }
    flush();
  }

  #remove(ids: ReadonlySet<MessageId>): void {
    const positions = this.#messages.positionsOf(ids);
    if (positions.size > 0) this.#messages = this.#messages.without(new Set(positions.values()));
  }
}
