import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import { createContentStore, readPart } from "../../content/content-store.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { passingCalls } from "../../sql/calls.ts";
import type { MessageStore, ExpiryRule, InsertOptions, NewMessage, InsertOutcome } from "../../store.ts";
import { openContent, contentIn } from "../content/content-source.ts";
import { serverNumberOf } from "./id-slots.ts";
import { Pages } from "./pages.ts";
import type { StoreParts } from "../store-parts.ts";
import { Problem } from "../../../core/errors.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import { MessageRows } from "../../records/message-rows.ts";
import type { Query } from "../../sql/query.ts";
import { recordRows } from "../account/records.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { insertMessages, type Inserted, hasChunks, hasCompanions, prepare, type Incoming } from "./insert.ts";
import { messageTables } from "./message-tables.ts";
import { discardContent } from "../content/content.ts";
import type { Session } from "../connection/database.ts";
import { GroupCommit, type Group, type WaitingCall, untilKnown, wasLost } from "../connection/commits.ts";
import { mayBeCommitted } from "../connection/errors.ts";

/** Creates the part of the store that holds messages. */
export function createMessageStore(
  parts: StoreParts,
): Omit<MessageStore, "emptyServer" | "listChanges"> & Pick<ReparseStore, "replaceMessage"> {
  const { database, gatedDatabase, gate, changes, outside, textIndex, maintenance } = parts;
  const messages = new Messages(parts);
  const pages = new Pages(gatedDatabase, parts.search);
  return {
    addMessages: async (added, companions = {}) => {
      const stored = await gate.pass(async () => await messages.add(added, companions));
      for (const [at, outcome] of stored.entries()) {
        const message = added[at];
        if (message === undefined || outcome.outcome !== "stored") continue;
        const { sequence } = outcome;
        const server = serverNumberOf(decodeMessageId(message.id).server);
        const isIndexBehind = textIndex?.notice(server, { before: sequence - 1, after: sequence }) ?? false;
        if (isIndexBehind || changes.isOverlong) maintenance.wake();
      }
      return stored;
    },
    listMessages: async (server, page) => await pages.list(server, page),
    searchMessages: async (server, expression, page) => await pages.search(server, expression, page),
    findMessages: async (server, expression, page) => await pages.find(server, expression, page),
    ...passingCalls(createContentStore(openContent(database, outside)), (call) => gate.pass(call)),
    deleteMessage: async (id) => {
      const sequence = await gate.pass(async () => await messages.delete(id));
      if (sequence !== undefined) changes.noticeOne(decodeMessageId(id).server, sequence);
      if (outside !== null) maintenance.wake();
      return sequence;
    },
    expireMessages: async (server, rule) => await gate.pass(async () => await messages.expire(server, rule)),
    replaceMessage: async (message) => await gate.pass(async () => await messages.replace(message)),
  };
}

/** Larger calls are committed alone, so that no other call waits for them. */
const gatheredBytesMax = 1024 * 1024;

type Call = WaitingCall<Incoming, InsertOutcome>;

/** Messages: stored, replaced and deleted. */
class Messages {
  readonly #parts: StoreParts;
  readonly #gathered: GroupCommit<Incoming, InsertOutcome>;
  readonly #rows: MessageRows<Incoming>;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    const { isDistributed, quota } = parts;
    const records = { ...recordRows, scheduled: new ScheduledRows(postgresDialect, quota) };
    this.#rows = new MessageRows(postgresDialect, messageTables(isDistributed), records);
    this.#gathered = new GroupCommit({
      commit: async (group) => {
        await this.#commit(group);
      },
      commitCountMax: isDistributed ? 8 : 2,
      serverCountMax: isDistributed ? 1 : 256,
      clock: parts.clock,
    });
  }

  /** Implements `addMessages` of the contract. */
  async add(messages: readonly NewMessage[], insertOptions: InsertOptions = {}): Promise<readonly InsertOutcome[]> {
    const incoming = await Promise.all(messages.map(async (message) => await this.#prepare(message)));
    const [first] = incoming;
    if (first === undefined) return [];
    const sizeBytes = incoming.reduce((sum, message) => sum + message.sizeBytes, 0);
    const isPlain =
      incoming.every((message) => message.server === first.server && !hasChunks(message) && !hasCompanions(message)) &&
      sizeBytes <= gatheredBytesMax &&
      isPlainInsert(insertOptions);
    return isPlain
      ? await this.#gathered.add({ server: first.serverNumber, parts: incoming, sizeBytes })
      : await this.#storeAlone(incoming, { insertOptions, isUnknown: false });
  }

  async #prepare(message: NewMessage): Promise<Incoming> {
    const incoming = await prepare(message);
    const { outside } = this.#parts;
    if (outside === null || !hasChunks(incoming)) return incoming;
    return { ...incoming, content: await outside.keep(incoming.serverNumber, incoming.content) };
  }

  /** Implements `deleteMessage` of the contract. */
  async delete(id: MessageId): Promise<number | undefined> {
    return await this.#transact((rows) => rows.deleteMessage(id));
  }

  /** Implements `expireMessages` of the contract. */
  async expire(server: ServerId, rule: ExpiryRule): Promise<number> {
    return await this.#transact((rows) => rows.expireMessages(server, rule));
  }

  /** Implements `replaceMessage` of the contract. */
  async replace(message: NewMessage): Promise<number | undefined> {
    const incoming = await this.#prepare(message);
    const sequence = await this.#transact((rows) => rows.replaceMessage(incoming));
    if (sequence !== undefined) this.#notice(incoming, { outcome: "stored", sequence });
    return sequence;
  }

  async #transact<Result>(query: (rows: MessageRows<Incoming>) => Query<Result>): Promise<Result> {
    return await this.#parts.database.transact(async (session) => await runOn(session, query(this.#rows)));
  }

  /** Stores a group with one commit; when that fails, each call alone, so that one cannot make the others fail. */
  async #commit(group: Group<Incoming, InsertOutcome>): Promise<void> {
    try {
      const inserted = await this.#insertGroup(group);
      for (const [server, calls] of group) this.#settle(calls, inserted.get(server));
      const unsettled = [...group]
        .filter(([server]) => inserted.get(server) === undefined)
        .flatMap(([, calls]) => calls);
      await Promise.all(unsettled.map((call) => this.#storeAgain(call, false)));
      for (const { parts } of [...group.values()].flat()) for (const { content } of parts) discardContent(content);
    } catch (error) {
      const calls = [...group.values()].flat();
      const isHopeless = error instanceof Problem && !wasLost(error);
      const isUnknown = mayBeCommitted(error);
      if (isHopeless) for (const call of calls) call.reject(error);
      else await Promise.all(calls.map((call) => this.#storeAgain(call, isUnknown)));
    }
  }

  async #storeAgain(call: Call, isUnknown: boolean): Promise<void> {
    await this.#storeAlone(call.parts, { insertOptions: {}, isUnknown }).then(call.resolve, call.reject);
  }

  async #insertGroup(group: Group<Incoming, InsertOutcome>): Promise<ReadonlyMap<number, Inserted | undefined>> {
    const { database, isDistributed, quota } = this.#parts;
    const [only, ...others] = group.values();
    const insert = (calls: readonly Call[]): Query<Inserted | undefined> =>
      insertMessages(
        calls.flatMap(({ parts }) => parts),
        quota,
        isDistributed,
      );
    // A single statement is a transaction by itself.
    if (only !== undefined && others.length === 0 && !isDistributed) {
      return new Map([[only[0]?.server ?? 0, await runOn(database, insert(only))]]);
    }
    return await database.transact(async (session) => {
      const inserted = new Map<number, Inserted | undefined>();
      for (const [server, calls] of group) inserted.set(server, await runOn(session, insert(calls)));
      return inserted;
    });
  }

  /** When nothing was inserted, the server does not exist or is full: each call is repeated alone. */
  #settle(calls: readonly Call[], inserted: Inserted | undefined): void {
    if (inserted === undefined) return;
    let sequence = inserted.base;
    for (const { server, parts, resolve } of calls) {
      const before = sequence;
      resolve(
        parts.map((): InsertOutcome => {
          sequence += 1;
          return { outcome: "stored", sequence };
        }),
      );
      this.#parts.changes.notice(server, { before, after: sequence });
    }
  }

  /** Stores one call in its own transaction, also when an earlier attempt may have been committed. */
  async #storeAlone(
    messages: readonly Incoming[],
    { insertOptions, isUnknown }: { readonly insertOptions: InsertOptions; readonly isUnknown: boolean },
  ): Promise<readonly InsertOutcome[]> {
    const { database, clock } = this.#parts;
    const outcomes = await untilKnown(
      { clock, isUnknown },
      async () => await database.transact(async (session) => await this.#store(session, messages, insertOptions)),
    );
    for (const [index, outcome] of outcomes.entries()) this.#notice(messages[index], outcome);
    return outcomes;
  }

  async #store(
    session: Session,
    messages: readonly Incoming[],
    options: InsertOptions,
  ): Promise<readonly InsertOutcome[]> {
    const planned = [...(await runOn(session, this.#rows.plan(messages, options)))];
    for (const [at, { id, message }] of messages.entries()) {
      if (planned[at]?.outcome !== "stored") continue;
      const raw = await readPart(contentIn(session, this.#parts.outside), id, "raw");
      if (raw === undefined || Buffer.compare(raw, message.raw) !== 0) planned[at] = { outcome: "collision" };
    }
    return await runOn(session, this.#rows.store(messages, planned, options));
  }

  #notice(message: Incoming | undefined, outcome: InsertOutcome | undefined): void {
    if (message === undefined || outcome?.outcome !== "stored") return;
    this.#parts.changes.noticeOne(message.server, outcome.sequence);
  }
}

/** Whether an insert stores nothing but its messages, so that it can be committed together with others. */
function isPlainInsert(options: InsertOptions): boolean {
  const { entries = [], deliveries = [], repeatable = null, reparseAt = null, scans = [] } = options;
  const hasRows = entries.length > 0 || deliveries.length > 0 || scans.length > 0;
  return !hasRows && repeatable === null && reparseAt === null && options.limits === undefined;
}
