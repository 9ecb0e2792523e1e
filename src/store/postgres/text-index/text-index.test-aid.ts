/** Test database whose text index is updated on request. */
import { unobservedTasks, type BackgroundTasks } from "../../../core/background-tasks.ts";
import { systemClock } from "../../../core/clock.ts";
import type { Page, Criteria } from "../../../core/criteria.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { folded, idsOf, makeServer } from "../../conformance/setup.ts";
import { page } from "../../conformance/drafts.ts";
import type { NewMessage, Store } from "../../store.ts";
import { openDatabase, type Database } from "../connection/database.ts";
import { Pages } from "../messages/pages.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { RecordingDatabase } from "../recording.test-aid.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";
import { ownIndexer, TextIndex } from "./text-index.ts";
import type { TextIndexSettings } from "./segments.ts";

/** Index settings that index every server after every message, in small segments. */
export const eagerIndex: TextIndexSettings = {
  serverMessageCountMin: 0,
  newMessageCountMin: 1,
  segmentMessageCountMax: 16,
};

/** Server in a separate database, whose store does not index. */
export class TestTextIndex implements AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  readonly database: RecordingDatabase;
  readonly server: ServerId;

  private constructor(url: string, { store, database, server }: Pick<TestTextIndex, "store" | "database" | "server">) {
    this.url = url;
    this.store = store;
    this.database = database;
    this.server = server;
  }

  static async open(): Promise<TestTextIndex> {
    const url = await emptyDatabaseUrl();
    const database = new RecordingDatabase(openDatabase(url));
    const store = createPostgresStore({ database, clock: systemClock, isDistributed: false, largeContent: null });
    return new TestTextIndex(url, { store, database, server: await makeServer(store) });
  }

  /** Returns an indexer like that of another node, over this database or a wrapper of it. */
  indexer(database: Database = this.database, tasks: BackgroundTasks = unobservedTasks): TextIndex {
    const indexer = ownIndexer(database, eagerIndex);
    return new TextIndex({ database, clock: systemClock, settings: eagerIndex, indexer, tasks });
  }

  /** Resolves when nothing of emptied and deleted servers is left; their messages are deleted first. */
  async purge(): Promise<void> {
    while ((await this.#sum("select count(*) as sum from purge")) > 0);
  }

  /** Indexes all messages, when the purge of emptied servers has finished: an indexer skips servers that it has locked. */
  async index(): Promise<void> {
    await this.purge();
    const indexer = this.indexer();
    while (await indexer.step());
  }

  async add(messages: readonly NewMessage[]): Promise<void> {
    for (let start = 0; start < messages.length; start += 500) {
      await this.store.addMessages(messages.slice(start, start + 500));
    }
  }

  /** Returns the results of a search on a new node that scans this many messages before it uses the index. */
  async find(
    criteria: Partial<Criteria>,
    within: Partial<Page> = {},
    sliceMessageCount = 2,
  ): Promise<readonly MessageId[]> {
    return idsOf(await this.pages(sliceMessageCount).search(this.server, folded(criteria), page(within)));
  }

  /** Returns the searches of a new node. */
  pages(sliceMessageCount: number): Pages {
    return new Pages(this.database, { sliceMessageCount, usesIndex: true });
  }

  /** Returns the number of messages in segments, of all servers, including deleted ones. */
  async memberCount(): Promise<number> {
    return await this.#sum("select coalesce(sum(size), 0)::bigint as sum from text_segment");
  }

  /** Returns the number of segments, of all servers. */
  async segmentCount(): Promise<number> {
    return await this.#sum("select count(*) as sum from text_segment");
  }

  /** Returns the number of pages, of all servers. */
  async pageCount(): Promise<number> {
    return await this.#sum("select count(*) as sum from text_page");
  }

  /** Returns the number of filters that are merged from those of several segments, of all servers. */
  async mergedFilterCount(): Promise<number> {
    return await this.#sum("select count(distinct segment) as sum from text_page where segment < 0");
  }

  async #sum(sql: string): Promise<number> {
    return (await this.database.query<{ sum: number }>(`/* all servers */ ${sql}`))[0]?.sum ?? 0;
  }

  /** Returns the sequence up to which the server is indexed; undefined when it is not indexed. */
  async indexedUpTo(): Promise<number | undefined> {
    const [row] = await this.database.query<{ up_to: number }>("/* all servers */ select up_to from text_progress");
    return row?.up_to;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await releaseDatabase(this.url);
  }
}
