import type { Clock } from "../../../core/clock.ts";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId } from "../../../core/ids.ts";
import { noQuota, type ServerQuota } from "../../../core/server.ts";
import type { InsertOptions, NewMessage, InsertOutcome } from "../../store.ts";
import type { Changes } from "./changes.ts";
import { discardContent } from "../content/content.ts";
import type { Database, Session } from "../connection/database.ts";
import { GroupCommit } from "../connection/group-commit.ts";
import type { Group, WaitingCall } from "../connection/group-commit.ts";
import { serverNumberOf } from "./id-slots.ts";
import { hasChunks, hasCompanions, prepare } from "./incoming.ts";
import type { Incoming } from "./incoming.ts";
import { insertMessages, insertMessagesInTurn } from "./insert.ts";
import type { Inserted } from "./insert.ts";
import type { ExternalContent } from "../content/external-content.ts";
import { removeMessages } from "./remove.ts";
import { replaceMessage } from "./replace.ts";
import { lockServer } from "../account/servers.ts";
import { storeCall } from "./store-call.ts";
import { untilKnown, wasLost } from "../connection/unknown-commit.ts";
import { mayBeCommitted } from "../connection/errors.ts";

/** Larger calls are committed alone, so that no other call waits for them. */
const gatheredBytesMax = 1024 * 1024;

/** Dependencies of {@link Messages}. */
export interface MessageOptions {
  readonly database: Database;
  readonly changes: Changes;
  readonly clock: Clock;
  /** External storage of large content; null when the database stores it. */
  readonly outside: ExternalContent | null;
  /** True when Citus distributes the tables, so that each statement and transaction should concern one server. */
  readonly isDistributed: boolean;
  /** Quota of servers without one of their own; none by default. */
  readonly quota?: ServerQuota | undefined;
}

type Call = WaitingCall<Incoming, InsertOutcome>;

/** Messages: stored, replaced and deleted. */
export class Messages {
  readonly #options: MessageOptions;
  readonly #gathered: GroupCommit<Incoming, InsertOutcome>;

  constructor(options: MessageOptions) {
    this.#options = options;
    const { isDistributed } = options;
    this.#gathered = new GroupCommit({
      commit: async (group) => {
        await this.#commit(group);
      },
      commitCountMax: isDistributed ? 8 : 2,
      serverCountMax: isDistributed ? 1 : 256,
      clock: options.clock,
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
    const { outside } = this.#options;
    if (outside === null || !hasChunks(incoming)) return incoming;
    return { ...incoming, content: await outside.keep(incoming.serverNumber, incoming.content) };
  }

  /** Deletes a message with all its rows; returns the number of the change, undefined when there is no such message. */
  async delete(id: MessageId): Promise<number | undefined> {
    const { server } = decodeMessageId(id);
    return await this.#options.database.transact(async (session) => {
      const position = await lockServer(session, server);
      if (position === undefined) return undefined;
      const removed = await removeMessages(session, { server: serverNumberOf(server), epoch: position.epoch }, [id]);
      return removed === 0 ? undefined : position.sequence + removed;
    });
  }

  /** Implements `replaceMessage` of the contract. */
  async replace(message: NewMessage): Promise<number | undefined> {
    const incoming = await this.#prepare(message);
    const sequence = await this.#options.database.transact(async (session) =>
      replaceMessage(session, incoming, async (own, parts) => await this.#insert(own, [{ parts }], null)),
    );
    if (sequence !== undefined) this.#notice(incoming, { outcome: "stored", sequence });
    return sequence;
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
    const { database, isDistributed, quota = noQuota } = this.#options;
    const [only, ...others] = group.values();
    // A single statement is a transaction by itself.
    if (only !== undefined && others.length === 0 && !isDistributed) {
      const messages = only.flatMap(({ parts }) => parts);
      return new Map([[messages[0]?.serverNumber ?? 0, await insertMessages(database, messages, quota)]]);
    }
    return await database.transact(async (session) => {
      const inserted = new Map<number, Inserted | undefined>();
      for (const [server, calls] of group) inserted.set(server, await this.#insert(session, calls, quota));
      return inserted;
    });
  }

  async #insert(
    session: Session,
    calls: readonly Pick<Call, "parts">[],
    quota: ServerQuota | null,
  ): Promise<Inserted | undefined> {
    const messages = calls.flatMap(({ parts }) => parts);
    return this.#options.isDistributed
      ? await insertMessagesInTurn(session, messages, quota)
      : await insertMessages(session, messages, quota);
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
      this.#options.changes.notice(server, { before, after: sequence });
    }
  }

  /** Stores one call in its own transaction, also when an earlier attempt may have been committed. */
  async #storeAlone(
    messages: readonly Incoming[],
    { insertOptions, isUnknown }: { readonly insertOptions: InsertOptions; readonly isUnknown: boolean },
  ): Promise<readonly InsertOutcome[]> {
    const { database, outside, clock, quota = noQuota } = this.#options;
    const insert = async (session: Session, parts: readonly Incoming[]): Promise<Inserted | undefined> =>
      await this.#insert(session, [{ parts }], null);
    const outcomes = await untilKnown(
      { clock, isUnknown },
      async () =>
        await database.transact(
          async (session) => await storeCall({ session, insert, outside, quota }, messages, insertOptions),
        ),
    );
    for (const [index, outcome] of outcomes.entries()) this.#notice(messages[index], outcome);
    return outcomes;
  }

  #notice(message: Incoming | undefined, outcome: InsertOutcome | undefined): void {
    if (message === undefined || outcome?.outcome !== "stored") return;
    const { sequence } = outcome;
    this.#options.changes.notice(message.serverNumber, { before: sequence - 1, after: sequence });
  }
}

/** Whether an insert stores nothing but its messages, so that it can be committed together with others. */
function isPlainInsert(options: InsertOptions): boolean {
  const { entries = [], deliveries = [], repeatable = null, reparseAt = null, scans = [] } = options;
  const hasRows = entries.length > 0 || deliveries.length > 0 || scans.length > 0;
  return !hasRows && repeatable === null && reparseAt === null && options.ignoresQuota !== true;
}
