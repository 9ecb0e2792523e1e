import type { Page } from "../../../core/criteria.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { SummaryPage } from "../../store.ts";
import { totalOf } from "../../page-bounds.ts";

/** A message as lists send it. */
export interface ListedMessage {
  readonly id: MessageId;
  /** Its summary, UTF-8. */
  readonly json: Uint8Array;
}

/** The newest messages of one direction of a server, read in one snapshot. */
export interface Newest {
  /** Newest first; at most {@link newestCountMax}. */
  readonly messages: readonly ListedMessage[];
  /** Number of messages of the direction. */
  readonly messageCount: number;
  /** The server's last change. */
  readonly cursor: number;
}

/** Number of messages that are read, and retained when the buffer is full; larger than a usual page to detect whether more follow. */
export const newestCountMax = 64;
const bufferBytesMin = 32 * 1024;
/** Size above which summaries are not buffered. */
const bufferBytesMax = 256 * 1024;
const comma = 0x2c;

/**
 * The newest messages as one JSON text that grows at its front, so that every first page of a list is a slice of it:
 * joining the summaries for each list would add 14 µs to the 42 µs of a request. Returned slices never change.
 */
export class NewestMessages {
  /** From `head` to the end: the summaries, newest first, separated by commas. */
  #buffer: Buffer;
  #head: number;
  /** For each message, oldest first: the instant of its receipt, and the end of its summary. */
  #receivedAt: number[] = [];
  #ends: number[] = [];
  #newestId: string = "";
  /** Whether the buffer contains all messages of the direction. */
  #isComplete: boolean;
  #messageCount: number;
  #cursor: number;

  private constructor({ messages, messageCount, cursor }: Newest) {
    this.#buffer = Buffer.allocUnsafeSlow(bufferBytesMin);
    this.#head = this.#buffer.length;
    this.#messageCount = messageCount;
    this.#cursor = cursor;
    this.#isComplete = messageCount <= messages.length;
  }

  /** Creates the buffer; returns undefined when the summaries are too large. */
  static from(newest: Newest): NewestMessages | undefined {
    const made = new NewestMessages(newest);
    return newest.messages.toReversed().every((message) => made.#add(message)) ? made : undefined;
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#buffer.length;
  }

  /**
   * Applies the server's next change; `message` where it is a new one of this direction. Returns false when it cannot be
   * applied, so that everything must be read again: a change is missing, or the message is not the newest.
   */
  apply(sequence: number, message: ListedMessage | null): boolean {
    // A repeated call returns the change that its first execution made.
    if (sequence <= this.#cursor) return true;
    if (sequence !== this.#cursor + 1) return false;
    this.#cursor = sequence;
    if (message === null) return true;
    this.#messageCount += 1;
    return this.#add(message);
  }

  /** Returns the first page of a list; undefined where older messages would have to be read. */
  page(page: Page): SummaryPage | undefined {
    const { itemsPerPage, receivedAfter } = page;
    const known = this.#ends.length;
    const matching = receivedAfter === null ? known : known - this.#firstAfter(receivedAfter);
    if (matching === known && known <= itemsPerPage && !this.#isComplete) return undefined;
    const count = Math.min(matching, itemsPerPage);
    const hasMore = matching > count;
    const json = this.#buffer.subarray(this.#head, count === 0 ? this.#head : this.#ends[known - count]);
    const total = receivedAfter === null ? this.#messageCount : totalOf(page, { count, hasMore });
    return { json, count, hasMore, total, cursor: this.#cursor };
  }

  /** Returns the index of the oldest message received after an instant. */
  #firstAfter(instant: number): number {
    let low = 0;
    let high = this.#receivedAt.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#receivedAt[middle] ?? 0) > instant) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #add({ id, json }: ListedMessage): boolean {
    if (id <= this.#newestId) return false;
    const isFirst = this.#ends.length === 0;
    const needed = json.length + (isFirst ? 0 : 1);
    if (needed > this.#head && !this.#grow(needed)) return false;
    if (!isFirst) this.#buffer[(this.#head -= 1)] = comma;
    this.#ends.push(this.#head);
    this.#head -= json.length;
    this.#buffer.set(json, this.#head);
    this.#receivedAt.push(decodeMessageId(id).receivedAt);
    this.#newestId = id;
    return true;
  }

  /** Moves the newest summaries to a buffer with free space in front of them. */
  #grow(needed: number): boolean {
    const evicted = Math.max(0, this.#ends.length - newestCountMax);
    const retained = this.#buffer.subarray(this.#head, this.#ends[evicted]);
    const length = Math.max(bufferBytesMin, 4 * (retained.length + needed));
    if (length > bufferBytesMax) return false;
    const buffer = Buffer.allocUnsafeSlow(length);
    buffer.set(retained, length - retained.length);
    const shift = length - (this.#ends[evicted] ?? length);
    this.#ends = this.#ends.slice(evicted).map((end) => end + shift);
    this.#receivedAt = this.#receivedAt.slice(evicted);
    this.#isComplete &&= evicted === 0;
    this.#buffer = buffer;
    this.#head = length - retained.length;
    return true;
  }
}
