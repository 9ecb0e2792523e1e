import { Problem } from "../core/errors.ts";
import { lastSequence } from "../operations/messages/stream-changes.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../core/ids.ts";
import type { NewOutboxEntry } from "../store/outbox-store.ts";
import type { NewMessage, Store, InsertOutcome } from "../store/store.ts";
import type { EndedDelivery } from "./export-lines.ts";
import type { Progress } from "./progress.ts";

/** A message that comes in from outside. */
export interface ArrivingMessage {
  readonly message: NewMessage;
  readonly delivery?: EndedDelivery | undefined;
  /** Position for errors, such as `line 17`. */
  readonly place: string;
  /** Returns the message with another id when its own is taken; absent: a taken id is an error. */
  readonly again?: ((attempt: number) => NewMessage) | undefined;
}

/** Limits of one call of the store, which keep commits short. */
const batchCountMax = 100;
const batchBytesMax = 1024 * 1024;
/** Concurrent calls: while one commits, the next is prepared. */
const callCountMax = 2;
/** Options of an intake. */
export interface IntakeOptions {
  /** Whether the storage quotas of servers and teams are ignored; they apply by default. */
  readonly ignoresQuotas?: boolean;
}

/** Ids that are tried for one message. */
const attemptCountMax = 100;

/**
 * Stores messages in batches, with back-pressure by `add`. Messages that already exist with the same content are counted and
 * skipped; one with the same id and other content is an error, and so is one that exceeds a storage quota, after all messages
 * before it were stored.
 */
export class MessageIntake {
  /** Number of stored messages. */
  storedCount = 0;
  /** Number of messages that already existed. */
  existingCount = 0;
  readonly #store: Pick<Store, "addMessages" | "listMessages" | "getDetail">;
  readonly #progress: Progress;
  readonly #limits: "storage" | "none";
  #batch: ArrivingMessage[] = [];
  #batchBytes = 0;
  #calls: Promise<void>[] = [];
  /** Sequence number of each server before its first message. */
  readonly #sequences = new Map<ServerId, number>();

  constructor(
    store: Pick<Store, "addMessages" | "listMessages" | "getDetail">,
    progress: Progress,
    { ignoresQuotas = false }: IntakeOptions = {},
  ) {
    this.#store = store;
    this.#progress = progress;
    this.#limits = ignoresQuotas ? "none" : "storage";
  }

  async add(arriving: ArrivingMessage): Promise<void> {
    const { id, raw, detailJson } = arriving.message;
    const first = this.#batch[0];
    if (first !== undefined && serverOf(first) !== decodeMessageId(id).server) await this.#send();
    this.#batch.push(arriving);
    this.#batchBytes += raw.length + detailJson.length;
    if (this.#batch.length >= batchCountMax || this.#batchBytes >= batchBytesMax) await this.#send();
  }

  /** Resolves when all messages are stored. */
  async flush(): Promise<void> {
    await this.#send();
    while (this.#calls.length > 0) await this.#calls.shift();
  }

  async #send(): Promise<void> {
    const batch = this.#batch;
    if (batch[0] === undefined) return;
    this.#batch = [];
    this.#batchBytes = 0;
    while (this.#calls.length >= callCountMax) await this.#calls.shift();
    const before = await this.#sequenceBefore(serverOf(batch[0]));
    const call = this.#storeBatch(batch, before);
    // Harmless: a rejection is handled when the call is awaited in its turn.
    call.catch(() => undefined);
    this.#calls.push(call);
  }

  async #storeBatch(batch: readonly ArrivingMessage[], before: number): Promise<void> {
    const outcomes = await this.#addMessages(batch).catch(unlessFull);
    if (outcomes?.every(({ outcome }) => outcome === "stored")) {
      for (const [at, arriving] of batch.entries()) await this.#settle(arriving, outcomes[at], before);
      return;
    }
    for (const arriving of batch) await this.#storeOne(arriving, before);
  }

  /** By itself, so that it is known which one cannot be stored. */
  async #storeOne(arriving: ArrivingMessage, before: number): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const message = attempt === 0 ? arriving.message : arriving.again?.(attempt);
      if (message === undefined || attempt === attemptCountMax) throw takenError(arriving);
      const [outcome] = await this.#addMessages([{ ...arriving, message }]).catch((error: unknown) => {
        unlessFull(error);
        throw fullError(arriving, error);
      });
      if (outcome?.outcome === "no_server") {
        throw new Error(`${arriving.place}: the server of message ${message.id} no longer exists`);
      }
      if (outcome?.outcome === "stored") {
        await this.#settle({ ...arriving, message }, outcome, before);
        return;
      }
    }
  }

  async #addMessages(batch: readonly ArrivingMessage[]): Promise<readonly InsertOutcome[]> {
    const entries = batch.flatMap(({ message, delivery }) =>
      delivery === undefined ? [] : [entryOf(message.id, delivery)],
    );
    const messages = batch.map(({ message }) => message);
    return await this.#store.addMessages(messages, { limits: this.#limits, ...(entries.length > 0 && { entries }) });
  }

  async #settle(arriving: ArrivingMessage, outcome: InsertOutcome | undefined, before: number): Promise<void> {
    const { id, raw, detailJson } = arriving.message;
    const isNew = outcome?.outcome === "stored" && outcome.sequence > before;
    if (isNew) {
      this.storedCount += 1;
      this.#progress.advance({ messages: 1, bytes: raw.length });
      return;
    }
    // Mails were compared by their raw bytes; SMS have none and are compared by their detail.
    const stored = raw.length > 0 ? undefined : await this.#store.getDetail(id);
    if (stored !== undefined && Buffer.compare(stored, detailJson) !== 0) throw takenError(arriving);
    this.existingCount += 1;
    this.#progress.advance({ messages: 1 });
  }

  async #sequenceBefore(server: ServerId): Promise<number> {
    const known = this.#sequences.get(server);
    if (known !== undefined) return known;
    const sequence = await lastSequence({ store: this.#store }, server);
    this.#sequences.set(server, sequence);
    return sequence;
  }
}

function serverOf({ message }: ArrivingMessage): ServerId {
  return decodeMessageId(message.id).server;
}

/** Rethrows any error but that of a full server or team. */
function unlessFull(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "quota_exceeded") throw error;
}

function fullError({ place }: ArrivingMessage, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `${place}: ${reason}; the messages before were imported: raise the quota or use --ignore-quotas, and repeat the import`,
    { cause },
  );
}

function takenError({ place, message }: ArrivingMessage): Error {
  return new Error(
    `${place}: message ${message.id}, or one whose attachments have the same ids, exists with different content`,
  );
}

/** Returns a finished outbox entry, which only records the outcome of the delivery. */
function entryOf(message: MessageId, { status, attempts, lastError, updatedAt }: EndedDelivery): NewOutboxEntry {
  const nowhere = { route: "inside", mailFrom: "", rcptTo: [], content: null } as const;
  return { id: `result/${message}`, message, ...nowhere, status, attempts, lastError, at: updatedAt };
}
