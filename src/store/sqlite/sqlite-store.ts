import type { Change } from "../../core/change.ts";
import type { Page } from "../../core/criteria.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { AttachmentId, MessageId, ServerId } from "../../core/ids.ts";
import type { Server, ServerChange } from "../../core/server.ts";
import type { RereadStore } from "../reread-store.ts";
import type {
  Companions,
  FoldedCriteria,
  NewMessage,
  RetirementRule,
  SearchPage,
  Store,
  Stored,
  SummaryPage,
} from "../store.ts";
import { SqliteMoving } from "./sqlite-moving.ts";
import { toProblem } from "./connection/errors.ts";
import { listQuestion, searchQuestion } from "./messages/answer-cache.ts";
import { newestCountMax } from "./messages/newest-messages.ts";
import { firstIndex } from "./messages/page-bounds.ts";
import { onlyAddress } from "./messages/pages.ts";
import { wrap } from "./messages/message-batch.ts";
import { Reads } from "./threads/reads.ts";
import { createRereadStore } from "./messages/rereads.ts";
import type { ContentPart } from "./content/content.ts";
import type { StoreParts } from "./threads/store-parts.ts";
import { TextScans } from "./search/text-scans.ts";

/** Pages that end beyond this index are read on the reader's thread. */
const indexOnThisThreadMax = 2000;
/** Pages of what came after a point further back than this are read on the reader's thread. */
const changeCountOnThisThreadMax = 2000;
/** Columns that take more than this on the medium are read and unpacked on the reader's thread. */
const columnBytesOnThisThreadMax = 128 * 1024;

/**
 * The store of one machine: SQLite, one thread that writes, short reads where they are asked, long ones on a thread of
 * their own. A thread that dies is replaced at the next call; what it was doing rejects with `unavailable`.
 */
export class SqliteStore extends SqliteMoving implements Store {
  readonly rereads: RereadStore;
  readonly #parts: StoreParts;
  readonly #reads: Reads;
  readonly #memory = this.memory;
  readonly #scans: TextScans;
  #closed: Promise<void> | undefined;

  constructor(parts: StoreParts) {
    super(parts);
    this.#parts = parts;
    this.#reads = new Reads(parts.database, this.reported.bind(this));
    this.#scans = new TextScans(parts.reader);
    this.rereads = createRereadStore(
      parts.writer,
      (body) => this.read(({ rereads }) => body(rereads)),
      (id) => {
        parts.indexing.notice(1);
        this.#memory.forgetAnswers(decodeMessageId(id).server);
      },
    );
  }

  async getServer(id: ServerId): Promise<Server | undefined> {
    this.requireOpen();
    const known = this.#memory.recallServer(id);
    if (known !== undefined) return known;
    const server = this.read(({ servers }) => servers.get(id));
    if (server !== undefined) this.#memory.rememberServer(server);
    return server;
  }

  async hasServer(id: ServerId): Promise<boolean> {
    return (await this.getServer(id)) !== undefined;
  }

  async updateServer(id: ServerId, change: ServerChange): Promise<Server | undefined> {
    try {
      return await this.#parts.writer.call("updateServer", [id, change]);
    } finally {
      this.#memory.forgetAnswers(id);
    }
  }

  async deleteServer(id: ServerId): Promise<boolean> {
    try {
      return await this.#parts.writer.call("deleteServer", [id]);
    } finally {
      this.#memory.forgetServer(id);
      this.#memory.forgetKeys();
    }
  }

  async addMessages(messages: readonly NewMessage[], companions: Companions = {}): Promise<readonly Stored[]> {
    const parcel = wrap(messages);
    try {
      const outcomes = await this.#parts.writer.call("addMessages", [parcel, companions], [parcel.bytes]);
      for (const [at, { id, summaryJson }] of messages.entries()) {
        const stored = outcomes[at];
        if (stored?.outcome === "stored") this.#memory.follow({ id, json: summaryJson }, stored.sequence);
      }
      return outcomes;
    } catch (error) {
      for (const { id } of messages) this.#memory.forgetAnswers(decodeMessageId(id).server);
      throw error;
    } finally {
      this.#parts.indexing.notice(messages.length);
    }
  }

  async listMessages(server: ServerId, page: Page): Promise<SummaryPage> {
    const question = listQuestion(page);
    const known = this.#recall(server, question) ?? this.#newest(server, page);
    if (known !== undefined) return known;
    const ticket = this.#memory.ticket(server);
    const answer = this.#isShort(server, page)
      ? this.read(({ pages }) => pages.list(server, page))
      : await this.#parts.reader.call("list", [server, page]);
    this.#memory.remember(ticket, question, answer);
    return answer;
  }

  async searchMessages(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage> {
    const question = searchQuestion(criteria, page);
    const known = this.#recall(server, question.whole);
    if (known !== undefined) return known;
    const ticket = this.#memory.ticket(server);
    const noMatchUpTo = this.#memory.noMatchUpTo(server, question.base);
    const afterSequence = Math.max(page.afterSequence ?? 0, noMatchUpTo);
    const answer = await this.#search(server, criteria, { ...page, afterSequence });
    this.#memory.remember(ticket, question.whole, answer);
    const sawAllBefore = (page.afterSequence ?? 0) <= noMatchUpTo;
    if (answer.count === 0 && page.page === 0 && sawAllBefore) {
      this.#memory.rememberNoMatch(ticket, question.base, answer.cursor);
    }
    return answer;
  }

  async getDetail(id: MessageId): Promise<Uint8Array | undefined> {
    return await this.#part(id, "detail");
  }

  override async getRaw(id: MessageId): Promise<Uint8Array | undefined> {
    return await this.#part(id, "raw");
  }

  async findMessageOfAttachment(id: AttachmentId): Promise<MessageId | undefined> {
    return this.read((reads) => reads.ownerOf(id));
  }

  async deleteMessage(id: MessageId): Promise<number | undefined> {
    try {
      return await this.#parts.writer.call("deleteMessage", [id]);
    } finally {
      this.#parts.indexing.count(1);
      this.#memory.forgetAnswers(decodeMessageId(id).server);
    }
  }

  async emptyServer(id: ServerId): Promise<number | undefined> {
    try {
      return await this.#parts.writer.call("emptyServer", [id]);
    } finally {
      this.#memory.forgetAnswers(id);
    }
  }

  async retireMessages(server: ServerId, rule: RetirementRule): Promise<number> {
    try {
      const count = await this.#parts.writer.call("retireMessages", [server, rule]);
      this.#parts.indexing.count(count);
      return count;
    } finally {
      this.#memory.forgetAnswers(server);
    }
  }

  async listChanges(server: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined> {
    return this.read(({ changes }) => changes.list(server, sequence, limit));
  }

  async check(): Promise<void> {
    await this.#parts.writer.call("probe", []);
    this.read((reads) => reads.counts());
  }

  async backup(file: string): Promise<void> {
    await this.#parts.backups.call("backup", [this.#parts.file, file]);
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    const { writer, reader, backups, indexing, database, release } = this.#parts;
    await Promise.all([reader.close(), backups.close(), indexing.close()]);
    database.close();
    // The last connection to close leaves one whole file behind, without a write-ahead log.
    await writer.close();
    release();
  }

  #recall(server: ServerId, question: string): SummaryPage | undefined {
    this.requireOpen();
    return this.#memory.recall(server, question);
  }

  /** The first page of a list, where the newest messages tell all of it. */
  #newest(server: ServerId, page: Page): SummaryPage | undefined {
    const known = this.#memory.recallNewest(server, page);
    if (known !== undefined || page.page > 0 || (page.afterSequence ?? 0) > 0) return known;
    if (page.itemsPerPage >= newestCountMax || page.before !== undefined) return undefined;
    const newest = this.read(({ pages }) => pages.newest(server, page.direction));
    if (newest !== undefined) this.#memory.rememberNewest(server, page.direction, newest);
    return this.#memory.recallNewest(server, page);
  }

  protected override requireOpen(): void {
    if (this.#closed !== undefined) throw new Problem("unavailable");
  }

  async #search(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage> {
    const address = onlyAddress(criteria);
    return address !== undefined && this.#isShort(server, page)
      ? this.read(({ pages }) => pages.search(server, address, page))
      : await this.#scans.search(server, criteria, page);
  }

  /** Whether an index leads to the page in a few thousand steps at most. */
  #isShort(server: ServerId, page: Page): boolean {
    if (firstIndex(page) + page.itemsPerPage > indexOnThisThreadMax) return false;
    const { afterSequence } = page;
    if (afterSequence === null || afterSequence === 0) return true;
    const last = this.read(({ servers }) => servers.position(server)?.sequence ?? 0);
    return last - afterSequence <= changeCountOnThisThreadMax;
  }

  async #part(id: MessageId, name: ContentPart): Promise<Uint8Array | undefined> {
    const part = this.read((reads) => reads.part(id, name, columnBytesOnThisThreadMax));
    return part === null ? await this.readPartAside(id, name) : part;
  }

  protected override read<Result>(body: (reads: Reads) => Result): Result {
    this.requireOpen();
    try {
      return this.#reads.snapshot.read(() => body(this.#reads));
    } catch (error) {
      throw this.reported(toProblem(error));
    }
  }
}
