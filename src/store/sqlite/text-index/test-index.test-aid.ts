/** Test database whose index is built step by step. */
import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { rm } from "node:fs/promises";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { Page, Criteria } from "../../../core/criteria.ts";
import type { Problem } from "../../../core/errors.ts";
import { idToBytes, newServerId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { NewMessage, SummaryPage } from "../../store.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { directoryWithDatabase } from "../new-database.test-aid.ts";
import type { CallResponse } from "../../threads/call-protocol.ts";
import type { WriterCalls } from "../threads/calls.ts";
import { connectReader, connectWriter, Statements } from "../connection/connection.ts";
import { IndexWork, type IndexSettings, type IndexStep } from "./index-work.ts";
import { encodeBatch } from "../messages/message-batch.ts";
import { Reads } from "../threads/reads.ts";
import { Search } from "../search/search.ts";
import { SegmentWrites } from "./segment-writes.ts";
import type { Segment } from "./segments.ts";
import { createRecentGramMemory, RecentGramReads, RecentGramWrites } from "../../signatures/recent-grams.ts";
import { Writer } from "../threads/writer.ts";

/** Settings that index every message at once, in segments of six messages. */
export const eagerIndex: IndexSettings = { serverMessageCountMin: 0, newMessageCountMin: 1, segmentMessageCountMax: 6 };

const firstPage: Page = {
  page: 0,
  itemsPerPage: 50,
  receivedAfter: null,
  direction: "Received",
  afterSequence: null,
};

/** One server in a database of its own, with an indexer that runs step by step. */
export class TestIndex {
  readonly server: ServerId;
  readonly reads: Reads;
  readonly writer: Writer;
  readonly segmentWrites: SegmentWrites;
  readonly writing: DatabaseSync;
  /** Read-only connection. */
  readonly reading: DatabaseSync;
  /** Damage that the indexer reported. */
  readonly damage: Problem[] = [];
  readonly #settings: IndexSettings;
  readonly #recent: RecentGramReads;
  #work: Generator<IndexStep, void, number> | undefined;
  #reply = 0;

  private constructor(file: string, settings: IndexSettings) {
    const writing = connectWriter({ file, durable: false, sizeBytesMax: null });
    this.writing = writing;
    this.reading = connectReader(file);
    this.#settings = settings;
    const memory = createRecentGramMemory();
    this.#recent = new RecentGramReads(memory);
    this.writer = new Writer(writing, undefined, { recent: new RecentGramWrites(memory, 0) });
    this.segmentWrites = new SegmentWrites(writing);
    this.reads = new Reads(this.reading);
    onTestFinished(() => {
      this.reading.close();
      writing.close();
    });
    const server = { id: newServerId(), name: "Test", password: "secret", createdAt: 0, expiresAt: null };
    this.call("changeRecord", "servers", "createServer", [server]);
    this.server = server.id;
  }

  static async open(settings: IndexSettings = eagerIndex): Promise<TestIndex> {
    const directory = directoryWithDatabase("restante-index-");
    onTestFinished(async () => {
      await rm(directory, { recursive: true });
    });
    return new TestIndex(path.join(directory, databaseFileName), settings);
  }

  /** Executes one call as the writer thread would. */
  call<Name extends keyof WriterCalls>(
    name: Name,
    ...parameters: Parameters<WriterCalls[Name]>
  ): ReturnType<WriterCalls[Name]> {
    const [response] = this.writer.run([{ number: 1, name, parameters }]) as [CallResponse];
    if (response.error !== undefined) throw new Error(response.error.message);
    return response.result as ReturnType<WriterCalls[Name]>;
  }

  /** Stores messages and returns their sequence numbers. */
  add(messages: readonly NewMessage[]): number[] {
    return this.call("addMessages", encodeBatch(messages), {}).map((stored) => {
      if (stored.outcome !== "stored") throw new Error(stored.outcome);
      return stored.sequence;
    });
  }

  delete(id: MessageId): void {
    this.call("deleteMessage", id);
  }

  /** Executes a number of index steps, by default all; returns whether the index has caught up. */
  index(stepCount: number = Infinity): boolean {
    for (let step = 0; step < stepCount; step += 1) {
      this.#work ??= new IndexWork(this.reading, this.#settings, (problem) => this.damage.push(problem)).run();
      const { done, value } = this.#work.next(this.#reply);
      this.#reply = value === undefined ? 0 : this.call("writeSegment", value);
      if (done === true) {
        this.#work = undefined;
        return true;
      }
    }
    return false;
  }

  /** Restarts indexer and writer, as after a crash. */
  restart(): void {
    this.#work = undefined;
    this.#reply = 0;
    this.writer.transact(() => {
      this.segmentWrites.dropDrafts(this.segmentWrites.lastNumber());
    });
  }

  /** Reclaims all dropped segments. */
  reclaim(): void {
    while (this.writer.transact(() => this.segmentWrites.reclaim()));
  }

  /** Returns the segments that searches of the server use. */
  segments(): readonly Segment[] {
    return this.reads.segments.list(this.reads.servers.position(this.server)?.epoch ?? 0);
  }

  /** Searches; with `meanwhile`, in the shortest possible slices, between which it is called. */
  search(criteria: Criteria, within: Partial<Page> = {}, meanwhile?: () => void): SummaryPage {
    const step = this.startSearch(criteria, { within, sliceMsMax: meanwhile === undefined ? 5 : -1 });
    for (;;) {
      const result = step();
      if (result !== undefined) return result;
      meanwhile?.();
    }
  }

  /** Starts a search; each call of the returned function executes one slice and returns the result, undefined while there is none. */
  startSearch(
    criteria: Criteria,
    { within = {}, sliceMsMax }: { readonly within?: Partial<Page>; readonly sliceMsMax: number },
  ): () => SummaryPage | undefined {
    const { servers, changes, segments } = this.reads;
    const statements = new Statements(this.reading);
    const sources = { statements, servers, changes, segments, recent: this.#recent, sliceMsMax };
    const search = new Search(sources, {
      server: this.server,
      expression: criteriaExpression(criteria),
      page: { ...firstPage, ...within },
      result: "summaries",
    });
    return () => this.reads.snapshot.read(() => search.step()) as SummaryPage | undefined;
  }

  /** Returns the ids that a search finds. */
  find(criteria: Omit<Criteria, "match">, within: Partial<Page> = {}): readonly MessageId[] {
    const { json } = this.search({ match: "ALL", ...criteria }, within);
    const summaries = JSON.parse(`[${Buffer.from(json).toString()}]`) as readonly { readonly id: MessageId }[];
    return summaries.map(({ id }) => id);
  }

  /** Returns how many rows a table of the index has. */
  rowCount(table: "text_segment" | "text_page"): number {
    return Number(this.reading.prepare(`select count(*) as count from ${table}`).get()?.["count"]);
  }

  /** Returns the ids of a segment by ordinal. */
  membersOf(segment: Segment): readonly string[] {
    const ids = Buffer.concat(
      Array.from({ length: Math.ceil(segment.size / 240) }, (_, block) =>
        Buffer.from(this.reads.segments.members(segment.number, block)),
      ),
    );
    return Array.from({ length: segment.size }, (_, ordinal) =>
      ids.subarray(ordinal * 16, ordinal * 16 + 16).toString("hex"),
    );
  }
}

/** Returns an id as `membersOf` does. */
export function hexOf(id: MessageId): string {
  return Buffer.from(idToBytes(id)).toString("hex");
}
