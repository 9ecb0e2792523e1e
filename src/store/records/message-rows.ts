import { decodeMessageId, messageRangeOf, type MessageId, type ServerId } from "../../core/ids.ts";
import type { StoredMarks } from "../../core/marks.ts";
import { dayOf } from "../../core/server.ts";
import { noUsage } from "../../core/usage.ts";
import type { NewDelivery } from "../callback-store.ts";
import type { NewOutboxEntry } from "../outbox-store.ts";
import { addReparses, addScans, removeReparse } from "../queues/leased-tables.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import type { ExpiryRule, InsertOptions, InsertOutcome } from "../store.ts";
import type { StoredAnnotation } from "./annotation-rows.ts";
import { takeExpired } from "./expired-messages.ts";
import type { RecordRows } from "./records.ts";
import { lockServer, type ServerPosition } from "./server-position.ts";
import type { TeamAddition } from "./team-limit-rows.ts";

/** New message, prepared for its rows. */
export interface PreparedMessage {
  readonly id: MessageId;
  readonly summary: Uint8Array;
  /** Number of bytes that count against the quota of its server, without its annotations. */
  readonly bytes: number;
  readonly isSms: boolean;
  readonly annotations: readonly StoredAnnotation[];
  readonly marks?: StoredMarks | undefined;
}

/** Message that exists already. */
export interface PresentMessage {
  readonly id: MessageId;
  readonly sequence: number;
  readonly summary: string | Uint8Array;
}

/** Statements of a database about the rows of messages, for transactions that have locked the server. */
export interface MessageTables<Message> {
  /** Returns the messages that have one of the ids, or one in its range, each with that id. */
  find(position: ServerPosition, ids: readonly MessageId[]): Query<readonly (readonly [MessageId, PresentMessage])[]>;
  /**
   * Inserts messages, each as a change; returns the number of the last change before them. Those that replace others are
   * not counted in the usage.
   */
  insert(position: ServerPosition, messages: readonly Message[], isReplacement?: boolean): Query<number>;
  /** Deletes messages, each as a change, in the given order; returns the number of those that existed. */
  remove(position: ServerPosition, ids: readonly MessageId[]): Query<number>;
}

/**
 * Planned outcome of inserting one message. One that seems to be stored has the id and the summary of the new message: the
 * caller compares the raw bytes, and makes it a collision where they differ.
 */
export type PlannedInsert = InsertOutcome | { readonly outcome: "fresh"; readonly position: ServerPosition };

type Records = Pick<
  RecordRows,
  "annotations" | "deliveries" | "idempotency" | "marks" | "outbox" | "scheduled" | "servers" | "teamLimits" | "usage"
>;

/** Statements that store and delete messages, with everything that belongs to them, in the transaction of the caller. */
export class MessageRows<Message extends PreparedMessage> extends DialectRows {
  readonly #tables: MessageTables<Message>;
  readonly #records: Records;

  constructor(dialect: SqlDialect, tables: MessageTables<Message>, records: Records) {
    super(dialect);
    this.#tables = tables;
    this.#records = records;
  }

  /** Plans the inserts of one call. Locks the servers first, so that the state that it reads cannot change. */
  *plan(messages: readonly Message[], { repeatable = null }: InsertOptions): Query<readonly PlannedInsert[]> {
    const servers = messages.map(({ id }) => decodeMessageId(id).server);
    const positions = new Map<ServerId, ServerPosition>();
    for (const server of [...new Set(servers)].toSorted()) {
      const position = yield* lockServer(this.dialect, server);
      if (position !== undefined) positions.set(server, position);
    }
    if (repeatable !== null) yield* this.#records.idempotency.requireUnrepeated(repeatable);
    const present = new Map<MessageId, PresentMessage>();
    for (const [server, position] of positions) {
      const ids = messages.flatMap(({ id }, at) => (servers[at] === server ? [id] : []));
      for (const [id, found] of yield* this.#tables.find(position, ids)) present.set(id, found);
    }
    if (present.size > 0) yield* this.#touch(positions.values());
    const claimed = new Set<MessageId>();
    return messages.map(({ id, summary }, at) => {
      const [server, found] = [servers[at], present.get(id)];
      const position = server && positions.get(server);
      if (position === undefined) return { outcome: "no_server" };
      const slot = messages.length > 1 ? messageRangeOf(id).first : id;
      if (claimed.has(slot)) return { outcome: "collision" };
      claimed.add(slot);
      if (found === undefined) return { outcome: "fresh", position };
      const isSame = found.id === id && Buffer.compare(Buffer.from(found.summary), summary) === 0;
      return isSame ? { outcome: "stored", sequence: found.sequence } : { outcome: "collision" };
    });
  }

  /**
   * Writes to servers. A transaction without writes does not wait for standbys, but the earlier commit of a message that
   * exists may still be waiting for one, so that reporting it as stored needs a later write.
   */
  *#touch(positions: Iterable<ServerPosition>): Query<void> {
    const sql = `update server set sequence = sequence where ${this.dialect.serverNumber} = $1`;
    for (const { number } of positions) yield* rowsOf(sql, [number]);
  }

  /**
   * Stores the messages of one call as planned. When one collides, none is stored, and all that did not exist before are
   * reported as `collision`. Throws `quota_exceeded`, `limit_reached`, `too_many_requests` and `conflict` before anything is
   * written.
   */
  *store(
    messages: readonly Message[],
    planned: readonly PlannedInsert[],
    options: InsertOptions,
  ): Query<readonly InsertOutcome[]> {
    const collides = planned.some(({ outcome }) => outcome === "collision");
    const outcomes = planned.map((plan): InsertOutcome => (plan.outcome === "fresh" ? { outcome: "collision" } : plan));
    if (collides) return outcomes;
    const fresh = messages.flatMap((message, at) => {
      const plan = planned[at];
      const { server, receivedAt } = decodeMessageId(message.id);
      return plan?.outcome === "fresh" ? [{ at, message, server, receivedAt, position: plan.position }] : [];
    });
    const stored = messages.filter((_, at) => planned[at]?.outcome !== "no_server").map(({ id }) => id);
    const companions = companionsOf(new Set(stored), options);
    const outbound = yield* this.#countOutbound(companions);
    const now = companions.allowance?.now ?? 0;
    const counts =
      options.limits === "none" ? [] : yield* this.#requireRoom(fresh, { count: outbound, now }, options.limits);
    yield* addCompanions(this.#records, companions, outbound);
    yield* this.#records.teamLimits.countTeams(counts);
    yield* this.#countUsage(fresh[0], companions, outbound);
    for (const own of Map.groupBy(fresh, ({ server }) => server).values()) {
      const position = own[0]?.position;
      if (position === undefined) continue;
      const inserted = own.map(({ message }) => message);
      let sequence = yield* this.#tables.insert(position, inserted);
      for (const { at, message } of own) {
        sequence += 1;
        outcomes[at] = { outcome: "stored", sequence };
        yield* this.#addOwn(position, message, sequence);
      }
    }
    return outcomes;
  }

  /** Returns how many deliveries of a call are new and count against limits. */
  *#countOutbound({ entries, callbacks, allowance }: Companions): Query<number> {
    if (allowance === null) return 0;
    const { deliveries, outbox } = this.#records;
    return (yield* outbox.countNewEntries(entries)) + (yield* deliveries.countNewOutbound(callbacks));
  }

  /** Throws when a server or a team would exceed a limit; the first message sends what is outbound. */
  *#requireRoom(
    fresh: readonly FreshMessage[],
    outbound: TeamAddition["outbound"],
    limits: InsertOptions["limits"],
  ): ReturnType<RecordRows["teamLimits"]["requireTeamRoom"]> {
    const { scheduled, teamLimits } = this.#records;
    const additions: TeamAddition[] = [];
    for (const [server, own] of Map.groupBy(fresh, ({ server: one }) => one)) {
      const bytes = own.reduce((sum, { message }) => sum + quotaBytesOf(message), 0);
      const added = { messages: own.length, bytes };
      const [first] = own;
      if (first === undefined) continue;
      yield* scheduled.requireQuota(server, first.position, added);
      const { team } = first.position;
      if (team === null) continue;
      const sms = own.filter(({ message }) => message.isSms).length;
      const at = Math.max(...own.map(({ receivedAt }) => receivedAt));
      const count = first === fresh[0] ? outbound.count : 0;
      additions.push({ team, server, ...added, sms, at, outbound: { ...outbound, count } });
    }
    return additions.length === 0 ? [] : yield* teamLimits.requireTeamRoom(additions, limits === "storage");
  }

  /** Counts the deliveries of a call for the server that sends them; inserts count the messages. */
  *#countUsage(
    sent: Pick<FreshMessage, "server" | "position"> | undefined,
    { allowance }: Companions,
    outbound: number,
  ): Query<void> {
    if (sent === undefined || allowance === null || outbound === 0) return;
    const { server, position } = sent;
    const day = dayOf(allowance.now);
    yield* this.#records.usage.addUsage([{ ...noUsage, server, team: position.team, day, outbound }]);
  }

  *#addOwn(position: ServerPosition, { id, annotations, marks }: Message, sequence: number): Query<void> {
    for (const annotation of annotations) yield* this.#records.annotations.putAnnotation(id, annotation);
    if (marks !== undefined) yield* this.#records.marks.put(position, sequence, [{ id, marks }]);
  }

  /** Implements `deleteMessage` of the store's contract. */
  *deleteMessage(id: MessageId): Query<number | undefined> {
    const position = yield* lockServer(this.dialect, decodeMessageId(id).server);
    if (position === undefined || (yield* this.#remove(position, [id])) === 0) return undefined;
    return position.sequence + 1;
  }

  /** Implements `expireMessages` of the store's contract. */
  *expireMessages(server: ServerId, rule: ExpiryRule): Query<number> {
    const expired = yield* takeExpired(this.dialect, server, rule);
    return expired === undefined ? 0 : yield* this.#remove(expired.position, expired.ids);
  }

  /** Implements `replaceMessage` of the store's contract: everything that belongs to the message stays. */
  *replaceMessage(message: Message): Query<number | undefined> {
    yield* removeReparse(message.id);
    const position = yield* lockServer(this.dialect, decodeMessageId(message.id).server);
    if (position === undefined || (yield* this.#tables.remove(position, [message.id])) === 0) return undefined;
    return (yield* this.#tables.insert(position, [message], true)) + 1;
  }

  /** Deletes messages with everything that belongs to them, and cancels their deliveries; returns their number. */
  *#remove(position: ServerPosition, ids: readonly MessageId[]): Query<number> {
    const removedCount = yield* this.#tables.remove(position, ids);
    if (removedCount === 0) return 0;
    const { annotations, marks, outbox, deliveries } = this.#records;
    const bytes = yield* annotations.removeOf(position, ids);
    if (bytes > 0) {
      const sql = `update server set byte_count = byte_count - $2 where ${this.dialect.serverNumber} = $1`;
      yield* rowsOf(sql, [position.number, bytes]);
    }
    yield* marks.removeOf(position, ids);
    yield* outbox.removeOf(position.epoch, ids);
    yield* deliveries.cancelOfMessages(ids);
    return removedCount;
  }
}

function quotaBytesOf({ bytes, annotations }: PreparedMessage): number {
  return annotations.reduce((sum, { size }) => sum + (size ?? 0), bytes);
}

/** New message of a call. */
interface FreshMessage {
  /** Index in the call. */
  readonly at: number;
  readonly message: PreparedMessage;
  readonly server: ServerId;
  readonly receivedAt: number;
  readonly position: ServerPosition;
}

/** Rows that a call stores with its messages, of which `stored` are new or existed before. */
interface Companions extends Required<Pick<InsertOptions, "repeatable" | "reparseAt" | "scans" | "allowance">> {
  readonly stored: ReadonlySet<MessageId>;
  readonly entries: readonly NewOutboxEntry[];
  readonly callbacks: readonly NewDelivery[];
}

function companionsOf(stored: ReadonlySet<MessageId>, options: InsertOptions): Companions {
  const { entries = [], allowance = null, deliveries = [], repeatable = null, reparseAt = null, scans = [] } = options;
  const isStored = (message: MessageId | null): boolean => (message === null ? stored.size > 0 : stored.has(message));
  return {
    stored,
    entries: entries.filter(({ message }) => isStored(message)),
    callbacks: deliveries.filter(({ message }) => isStored(message)),
    allowance,
    repeatable,
    reparseAt,
    scans: scans.filter(({ message }) => stored.has(message)),
  };
}

/**
 * Adds what a call stores with its messages; `outbound` of its deliveries are new. Throws `too_many_requests` and `conflict`
 * before anything is written, unless another node was faster.
 */
function* addCompanions(
  { deliveries, outbox, idempotency }: Pick<RecordRows, "deliveries" | "outbox" | "idempotency">,
  { stored, entries, callbacks, allowance, repeatable, reparseAt, scans }: Companions,
  outbound: number,
): Query<void> {
  yield* outbox.add({ entries, allowance }, outbound);
  yield* deliveries.addWithMessages(callbacks);
  if (reparseAt !== null) yield* addReparses([...stored], reparseAt);
  yield* addScans(scans);
  if (repeatable !== null && stored.has(repeatable.message)) yield* idempotency.addRequest(repeatable);
}
