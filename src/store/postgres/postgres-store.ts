import { unobservedTasks, type BackgroundTasks } from "../../core/background-tasks.ts";
import type { Change } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";
import type { Page } from "../../core/criteria.ts";
import type { AttachmentId, MessageId, ServerId } from "../../core/ids.ts";
import { decodeMessageId } from "../../core/ids.ts";
import type { Server, ServerChange } from "../../core/server.ts";
import type { RereadStore } from "../reread-store.ts";
import type {
  Companions,
  FoldedCriteria,
  NewMessage,
  NewServer,
  RetirementRule,
  SearchPage,
  Store,
  StoreStatistics,
  Stored,
  SummaryPage,
  WholeMessage,
} from "../store.ts";
import type { RawContent } from "../raw-content.ts";
import { backupDatabase } from "./backup/backup.ts";
import type { LargeContent } from "./content/blobs.ts";
import { Changes } from "./messages/changes.ts";
import type { Database } from "./connection/database.ts";
import { serverNumberOf } from "./messages/id-slots.ts";
import { Messages, type MessageOptions } from "./messages/messages.ts";
import { gated, OpenGate } from "./connection/open-gate.ts";
import { Outside } from "./content/outside.ts";
import { Pages } from "./messages/pages.ts";
import { PostgresAccount } from "./postgres-account.ts";
import { Purge } from "./maintenance/purge.ts";
import { Rereads } from "./messages/rereads.ts";
import { retireMessages } from "./maintenance/retention.ts";
import { StorageWatch } from "./maintenance/storage-watch.ts";
import { Servers } from "./account/servers.ts";
import { readStatistics } from "./maintenance/statistics.ts";
import { TextIndex, textIndexSettings } from "./text-index/text-index.ts";
import type { TextIndexSettings } from "./text-index/text-index.ts";
import type { Alphabet } from "./text-index/text-index-setup.ts";
import { sliceMessageCountUsual } from "./search/text-search.ts";
import { Upkeep } from "./maintenance/maintenance.ts";
import { WholeMessages } from "./messages/whole-messages.ts";

/** What a store consists of. */
export interface PostgresStoreParts {
  /** Belongs to the store, which closes it. */
  readonly database: Database;
  readonly clock: Clock;
  /** Whether the tables are divided between machines. */
  readonly isDistributed: boolean;
  /** Quota of servers without one of their own; none unless given. */
  readonly quota?: MessageOptions["quota"];
  /** Keeps large content; null: the database does. */
  readonly largeContent: LargeContent | null;
  /** Registry that the store's loops report to. */
  readonly tasks?: BackgroundTasks | undefined;
  /** The index of bodies that was set up; null, unless given, for none. */
  readonly textIndex?: TextIndexParts | null;
}

/** What is to be known of the index of bodies; the rest has a usual value. */
export interface TextIndexParts {
  readonly alphabet: Alphabet;
  readonly settings?: TextIndexSettings;
  /** Messages that one statement of a search looks at. */
  readonly sliceMessageCount?: number;
}

/**
 * The store of many machines: PostgreSQL, of which any number of nodes are clients at the same time. Nothing of what it
 * holds is kept in a node but what no other node can make untrue.
 */
export class PostgresStore extends PostgresAccount implements Store {
  readonly rereads: RereadStore;
  readonly #database: Database;
  readonly #gate: OpenGate;
  readonly #storage: StorageWatch;
  readonly #servers: Servers;
  readonly #changes: Changes;
  readonly #messages: Messages;
  readonly #wholes: WholeMessages;
  readonly #pages: Pages;
  readonly #textIndexSettings: TextIndexSettings | null;
  readonly #textIndex: TextIndex | null;
  readonly #upkeep: Upkeep;
  readonly #hasOutside: boolean;
  #closed: Promise<void> | undefined;

  constructor(parts: PostgresStoreParts) {
    const { clock, isDistributed, largeContent, textIndex = null, tasks = unobservedTasks } = parts;
    const storage = new StorageWatch(parts.database, clock, tasks);
    const own = storage.watched();
    const gate = new OpenGate();
    const database = gated(own, gate);
    super(database);
    this.#database = database;
    this.#gate = gate;
    this.#storage = storage;
    this.#servers = new Servers(database, clock);
    // What was accepted, and upkeep, use the database until they have ended.
    this.#changes = new Changes(own);
    const outside = largeContent === null ? null : new Outside(own, largeContent);
    this.#hasOutside = outside !== null;
    this.#messages = new Messages({
      database: own,
      changes: this.#changes,
      clock,
      outside,
      isDistributed,
      quota: parts.quota,
    });
    this.rereads = new Rereads(database, async (message) => {
      return await gate.pass(async () => await this.#messages.replace(message));
    });
    this.#wholes = new WholeMessages(own, outside);
    const { settings = textIndexSettings, sliceMessageCount = sliceMessageCountUsual } = textIndex ?? {};
    this.#pages = new Pages(database, { sliceMessageCount, index: textIndex });
    this.#textIndexSettings = textIndex === null ? null : settings;
    this.#textIndex = textIndex === null ? null : new TextIndex({ database: own, clock, settings, tasks });
    const background = { changes: this.#changes, outside, textIndex: this.#textIndex, clock, tasks };
    this.#upkeep = new Upkeep({ purge: new Purge(own), ...background });
  }

  async createServer(server: NewServer): Promise<Server> {
    return await this.#servers.create(server);
  }

  async listServers(): Promise<readonly Server[]> {
    return await this.#servers.list();
  }

  async getServer(id: ServerId): Promise<Server | undefined> {
    return await this.#servers.get(id);
  }

  async hasServer(id: ServerId): Promise<boolean> {
    return await this.#gate.pass(async () => await this.#servers.has(id));
  }

  async findOldestServer(): Promise<Server | undefined> {
    return await this.#servers.oldest();
  }

  async listServersToTend(now: number): Promise<readonly Server[]> {
    return await this.#servers.toTend(now);
  }

  async getServerPassword(id: ServerId): Promise<string | undefined> {
    return await this.#servers.password(id);
  }

  async setServerPassword(id: ServerId, password: string, present?: string): Promise<boolean> {
    return await this.#servers.setPassword(id, password, present);
  }

  async updateServer(id: ServerId, change: ServerChange): Promise<Server | undefined> {
    return await this.#servers.update(id, change);
  }

  async deleteServer(id: ServerId): Promise<boolean> {
    const isGone = await this.#servers.remove(id);
    this.#upkeep.wake();
    return isGone;
  }

  async addMessages(messages: readonly NewMessage[], companions: Companions = {}): Promise<readonly Stored[]> {
    const stored = await this.#gate.pass(async () => await this.#messages.add(messages, companions));
    const wantsIndex = this.#wantsIndex(messages, stored);
    if (wantsIndex || this.#changes.isOverlong) this.#upkeep.wake();
    return stored;
  }

  async listMessages(server: ServerId, page: Page): Promise<SummaryPage> {
    return await this.#pages.list(server, page);
  }

  async searchMessages(server: ServerId, criteria: FoldedCriteria, page: SearchPage): Promise<SummaryPage> {
    return await this.#pages.search(server, criteria, page);
  }

  async getDetail(id: MessageId): Promise<Uint8Array | undefined> {
    return await this.#gate.pass(async () => await this.#messages.part(id, "detail"));
  }

  async getRaw(id: MessageId): Promise<Uint8Array | undefined> {
    return await this.#gate.pass(async () => await this.#messages.part(id, "raw"));
  }

  async openRaw(id: MessageId): Promise<RawContent | undefined> {
    return await this.#gate.pass(async () => await this.#messages.openRaw(id));
  }

  async measureMessages(server: ServerId, ids: readonly MessageId[]): Promise<readonly number[]> {
    return await this.#gate.pass(async () => await this.#wholes.measure(server, ids));
  }

  async readMessages(server: ServerId, after: MessageId | null, bytesMax: number): Promise<readonly WholeMessage[]> {
    return await this.#gate.pass(async () => await this.#wholes.behind(server, after, bytesMax));
  }

  async findMessageOfAttachment(id: AttachmentId): Promise<MessageId | undefined> {
    return await this.#gate.pass(async () => await this.#messages.ownerOf(id));
  }

  async deleteMessage(id: MessageId): Promise<number | undefined> {
    const sequence = await this.#gate.pass(async () => await this.#messages.delete(id));
    if (sequence !== undefined) this.#notice(decodeMessageId(id).server, sequence);
    if (this.#hasOutside) this.#upkeep.wake();
    return sequence;
  }

  async emptyServer(id: ServerId): Promise<number | undefined> {
    const sequence = await this.#servers.empty(id);
    if (sequence !== undefined) this.#notice(id, sequence);
    this.#upkeep.wake();
    return sequence;
  }

  async retireMessages(server: ServerId, rule: RetirementRule): Promise<number> {
    return await retireMessages(this.#database, server, rule);
  }

  async listChanges(server: ServerId, sequence: number, limit: number): Promise<readonly Change[] | undefined> {
    return await this.#gate.pass(async () => await this.#changes.list(server, sequence, limit));
  }

  /** Waits, as a mail does, until the database has written something. */
  async check(): Promise<void> {
    this.#storage.requireSpace();
    await this.#database.query("update state set probe = probe + 1");
  }

  async statistics(): Promise<StoreStatistics> {
    const storageFull = this.#storage.isFull ? 1 : 0;
    return { ...(await readStatistics(this.#database, this.#textIndexSettings)), storageFull };
  }

  async backup(file: string): Promise<void> {
    await this.#gate.pass(async () => {
      await backupDatabase(this.#database, file);
    });
  }

  async close(): Promise<void> {
    this.#closed ??= this.#close();
    await this.#closed;
  }

  async #close(): Promise<void> {
    await this.#gate.close();
    await this.#upkeep.close();
    this.#textIndex?.end();
    await this.#database.close();
  }

  #wantsIndex(messages: readonly NewMessage[], stored: readonly Stored[]): boolean {
    let wants = false;
    for (const [at, outcome] of stored.entries()) {
      const message = messages[at];
      if (this.#textIndex === null || message === undefined || outcome.outcome !== "stored") continue;
      const server = serverNumberOf(decodeMessageId(message.id).server);
      wants = this.#textIndex.notice(server, { before: outcome.sequence - 1, after: outcome.sequence }) || wants;
    }
    return wants;
  }

  #notice(server: ServerId, sequence: number): void {
    this.#changes.notice(serverNumberOf(server), { before: sequence - 1, after: sequence });
  }
}
