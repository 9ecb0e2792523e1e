import type { BackgroundTask, BackgroundTasks } from "../../../core/background-tasks.ts";
import type { Clock } from "../../../core/clock.ts";
import type { Database } from "../connection/database.ts";
import { Indexer } from "./indexer.ts";
import { textIndexSettings, type TextIndexSettings } from "./segments.ts";

/** Interval at which a node looks for servers that another node left unfinished. */
const lookMs = 30_000;

/** Indexer that may run on another thread. */
export interface IndexerHandle {
  /** Builds or merges segments of a server; returns false when there is nothing to do. */
  advance(server: number): Promise<boolean>;
  /** Frees the memory of the indexer until its next step. */
  rest(): Promise<void>;
}

/** Settings of the text index. */
export interface TextIndexParts {
  readonly settings?: TextIndexSettings;
  /** Messages that one statement of a search scans. */
  readonly sliceMessageCount?: number;
  /** Opens the indexer; by default it runs on the calling thread. */
  readonly openIndexer?: (settings: TextIndexSettings) => IndexerHandle;
}

/** Dependencies of {@link TextIndex}. */
export interface TextIndexDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: TextIndexSettings;
  readonly indexer: IndexerHandle;
  readonly tasks: BackgroundTasks;
}

/** Creates the text index of a store. */
export function createTextIndex(
  { settings = textIndexSettings, openIndexer }: TextIndexParts,
  dependencies: Pick<TextIndexDependencies, "database" | "clock" | "tasks">,
): TextIndex {
  const indexer = openIndexer?.(settings) ?? ownIndexer(dependencies.database, settings);
  return new TextIndex({ ...dependencies, settings, indexer });
}

/** Returns an indexer on the calling thread. */
export function ownIndexer(database: Database, settings: TextIndexSettings): IndexerHandle {
  const indexer = new Indexer(database, settings);
  return { advance: async (server) => await indexer.advance(server), rest: async () => undefined };
}

/** Indexes subjects, bodies and search fields of large servers in the background, a segment at a time. */
export class TextIndex {
  readonly #database: Database;
  readonly settings: TextIndexSettings;
  readonly #clock: Clock;
  readonly #indexer: IndexerHandle;
  readonly #wanted = new Set<number>();
  readonly #task: BackgroundTask;
  #lookedAt = -Infinity;

  constructor({ database, clock, settings, indexer, tasks }: TextIndexDependencies) {
    this.#database = database;
    this.#clock = clock;
    this.settings = settings;
    this.#indexer = indexer;
    this.#task = tasks.register("text_index", {
      backlog: () => this.#wanted.size,
      degrades: "searches of subjects and bodies are slow on large servers",
    });
  }

  /** Records the sequence number of a server; returns true when there may be messages to index. */
  notice(server: number, { before, after }: { readonly before: number; readonly after: number }): boolean {
    const { serverMessageCountMin, newMessageCountMin } = this.settings;
    const passed = Math.floor(after / newMessageCountMin) * newMessageCountMin;
    if (passed <= before || after < serverMessageCountMin) return false;
    this.#wanted.add(server);
    return true;
  }

  /**
   * Does one step; returns false when there is nothing to index. A failure is reported, and its server is skipped until the
   * next look, so that other servers are indexed meanwhile.
   */
  async step(): Promise<boolean> {
    try {
      if (this.#wanted.size === 0) await this.#look();
      const [server] = this.#wanted;
      if (server === undefined) return false;
      this.#wanted.delete(server);
      if (await this.#indexer.advance(server)) this.#wanted.add(server);
      if (this.#wanted.size === 0) await this.#indexer.rest();
      this.#task.succeeded();
    } catch (error) {
      // The error of a thread that has exited is more specific than that of its rejected calls.
      this.#task.failed(error instanceof Error ? (error.cause ?? error) : error, lookMs);
    }
    return this.#wanted.size > 0;
  }

  /** Ends the indexer and removes the task from the registry. */
  async end(): Promise<void> {
    await this.#indexer.rest();
    this.#task.end();
  }

  async #look(): Promise<void> {
    const now = this.#clock.monotonicMs();
    if (Math.abs(now - this.#lookedAt) < lookMs) return;
    this.#lookedAt = now;
    const rows = await this.#database.query<{ server_id: number }>(
      `/* all servers */ select s.server_id
       from server s left join text_progress i on i.server_id = s.server_id and i.epoch = s.epoch
       where s.received_count + s.sent_count >= $1
         and (i.server_id is null or s.sequence - i.up_to >= $2)`,
      [this.settings.serverMessageCountMin, this.settings.newMessageCountMin],
    );
    for (const row of rows) this.#wanted.add(row.server_id);
  }
}

/**
 * Estimates the number of messages that are not indexed: exact unless messages were deleted since, and 0 only when all
 * are indexed.
 */
export async function countUnindexed(
  database: Database,
  { serverMessageCountMin }: TextIndexSettings,
): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `/* all servers */ select coalesce(sum(least(s.received_count + s.sent_count, s.sequence - coalesce(i.up_to, 0))), 0)::bigint as count
     from server s left join text_progress i on i.server_id = s.server_id and i.epoch = s.epoch
     where s.received_count + s.sent_count >= $1`,
    [serverMessageCountMin],
  );
  return row?.count ?? 0;
}
