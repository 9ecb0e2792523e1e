import type { ApiKey } from "../../../core/api-key.ts";
import { criteriaKey, type Page } from "../../../core/criteria.ts";
import { decodeMessageId } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import type { Server } from "../../../core/server.ts";
import type { FoldedCriteria, SummaryPage } from "../../store.ts";
import { NewestMessages } from "./newest-messages.ts";
import type { ListedMessage, Newest } from "./newest-messages.ts";

/** Bytes of ready pages that are kept; beyond, the servers that were asked for longest ago are forgotten. */
const bytesMax = 16 * 1024 * 1024;
/** What one answer costs beside its bytes, roughly. */
const bytesPerAnswer = 512;
const answerCountPerServerMax = 64;
const serverCountMax = 10_000;
const keyCountMax = 10_000;

interface Shelf {
  readonly answers: Map<string, SummaryPage>;
  readonly newest: Map<Direction, NewestMessages>;
  /** The server's own record, counts included. */
  record: Server | undefined;
  /** Question without its page → sequence number up to which nothing matches it. */
  readonly noMatchUpTo: Map<string, number>;
  /** Counts the changes, so that an answer that was on its way meanwhile is known to be stale. */
  version: number;
  answerBytes: number;
  /** Those of the answers and of the newest messages. */
  bytes: number;
}

/** Taken before a question is asked, so that the answer is only remembered while it still holds. */
export interface Ticket {
  readonly server: ServerId;
  readonly shelf: Shelf;
  readonly version: number;
}

/**
 * Answers that still hold, so that a question asked again and again (the habit of everyone who waits for a mail) costs
 * next to nothing, and the newest messages, which new ones only add to. What changes a server must call {@link forgetAnswers}
 * or {@link follow} before its promise settles.
 */
export class AnswerCache {
  /** Every request names a key; keys are few, and change rarely. */
  readonly #keys = new Map<string, ApiKey>();
  /** In the order of use, longest ago first. */
  readonly #shelves = new Map<ServerId, Shelf>();
  #bytes = 0;

  /** The key with this hash, if it was found since keys last changed. */
  recallKey(hash: string): ApiKey | undefined {
    return this.#keys.get(hash);
  }

  /** Remembers a key under the hash that found it: its own, or that of its former secret. */
  rememberKey(hash: string, key: ApiKey): void {
    if (this.#keys.size >= keyCountMax) this.#keys.clear();
    this.#keys.set(hash, key);
  }

  /** To be called after every change of keys, and of servers that may take keys with them. */
  forgetKeys(): void {
    this.#keys.clear();
  }

  /** The server's record, if nothing of it has changed since. */
  recallServer(server: ServerId): Server | undefined {
    return this.#shelves.get(server)?.record;
  }

  rememberServer(record: Server): void {
    this.ticket(record.id).shelf.record = record;
    this.#shrink();
  }

  /** The answer to the same question, if the server has not changed since. */
  recall(server: ServerId, question: string): SummaryPage | undefined {
    return this.#shelves.get(server)?.answers.get(question);
  }

  /** Sequence number up to which the server is known to hold no match; deletions cannot make it untrue. */
  noMatchUpTo(server: ServerId, question: string): number {
    return this.#shelves.get(server)?.noMatchUpTo.get(question) ?? 0;
  }

  ticket(server: ServerId): Ticket {
    const shelf = this.#shelves.get(server) ?? {
      answers: new Map(),
      newest: new Map(),
      noMatchUpTo: new Map(),
      record: undefined,
      version: 0,
      answerBytes: 0,
      bytes: 0,
    };
    this.#shelves.delete(server);
    this.#shelves.set(server, shelf);
    return { server, shelf, version: shelf.version };
  }

  remember({ server, shelf, version }: Ticket, question: string, answer: SummaryPage): void {
    if (this.#shelves.get(server) !== shelf || shelf.version !== version) return;
    if (shelf.answers.size >= answerCountPerServerMax) this.#clear(shelf);
    shelf.answers.set(question, answer);
    shelf.answerBytes += answer.json.length + 2 * question.length + bytesPerAnswer;
    this.#weigh(shelf);
    this.#shrink();
  }

  /** The first page of a list, if the newest messages are known. */
  recallNewest(server: ServerId, page: Page): SummaryPage | undefined {
    if (page.page > 0 || page.before !== undefined || (page.afterSequence ?? 0) > 0) return undefined;
    return this.#shelves.get(server)?.newest.get(page.direction)?.page(page);
  }

  rememberNewest(server: ServerId, direction: Direction, newest: Newest): void {
    const { shelf } = this.ticket(server);
    const made = NewestMessages.from(newest);
    if (made !== undefined) shelf.newest.set(direction, made);
    this.#weigh(shelf);
    this.#shrink();
  }

  rememberNoMatch({ server, shelf }: Ticket, question: string, upTo: number): void {
    if (this.#shelves.get(server) !== shelf) return;
    if (shelf.noMatchUpTo.size >= answerCountPerServerMax) shelf.noMatchUpTo.clear();
    shelf.noMatchUpTo.set(question, upTo);
  }

  /** To be called after every change of the server or of its messages that {@link follow} is not called for. */
  forgetAnswers(server: ServerId): void {
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return;
    shelf.version += 1;
    shelf.record = undefined;
    shelf.newest.clear();
    this.#clear(shelf);
  }

  /** To be called after a message was stored, with the number of its change. */
  follow(message: ListedMessage, sequence: number): void {
    const { server, direction } = decodeMessageId(message.id);
    const shelf = this.#shelves.get(server);
    if (shelf === undefined) return;
    shelf.version += 1;
    shelf.record = undefined;
    for (const [of, newest] of shelf.newest) {
      if (!newest.follow(sequence, of === direction ? message : null)) shelf.newest.delete(of);
    }
    this.#clear(shelf);
  }

  /** To be called when the server is gone: its numbers may begin again. */
  forgetServer(server: ServerId): void {
    this.forgetAnswers(server);
    this.#shelves.delete(server);
  }

  #clear(shelf: Shelf): void {
    shelf.answers.clear();
    shelf.answerBytes = 0;
    this.#weigh(shelf);
  }

  #weigh(shelf: Shelf): void {
    let bytes = shelf.answerBytes;
    for (const newest of shelf.newest.values()) bytes += newest.bytes;
    this.#bytes += bytes - shelf.bytes;
    shelf.bytes = bytes;
  }

  #shrink(): void {
    for (const server of this.#shelves.keys()) {
      if (this.#bytes <= bytesMax && this.#shelves.size <= serverCountMax) return;
      this.forgetServer(server);
    }
  }
}

/** Names a list's question: equal strings ask the same. */
export function listQuestion(page: Page): string {
  return `${page.direction}/${page.page}/${page.itemsPerPage}/${page.receivedAfter}/${page.afterSequence}/${page.before ?? ""}`;
}

/** Names a search's question: `whole` with its page, `base` with nothing but what decides whether a message matches. */
export function searchQuestion(
  criteria: FoldedCriteria,
  page: Page,
): { readonly whole: string; readonly base: string } {
  const base = JSON.stringify([page.direction, page.receivedAfter, page.before ?? 0, criteriaKey(criteria)]);
  return { base, whole: `${listQuestion(page)} ${base}` };
}
