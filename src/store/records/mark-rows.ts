import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { serverTagCountMax } from "../../core/limits.ts";
import { changeMarks, flagBits, noMarks, sameMarks, type MarkChange, type StoredMarks } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { idsSince } from "../page-bounds.ts";
import {
  identityCountMax,
  markedOf,
  marksOf,
  requireMarkedCount,
  type IdentityPage,
  type MarkColumns,
  type MarkedMessage,
  type MarkOutcome,
  type TagCount,
} from "../mark-store.ts";
import { DialectRows, type SqlDialect } from "../sql/dialect.ts";
import { rowsOf, type Query } from "../sql/query.ts";
import { lockServer, type JournalRows, type ServerPosition } from "./server-position.ts";

/** Place of the messages of a server. */
type MessagePlace = Pick<ServerPosition, "number" | "epoch">;

/** Tag of a message. */
export interface MessageTag {
  /** Id of the message, or its slot. */
  readonly message: MessageId;
  readonly tag: string;
}

/** Statements about the index by which searches find tags. */
export interface TagIndexRows {
  add(place: MessagePlace, tags: readonly MessageTag[]): Query<void>;
  /** Removes tags of messages, except those that a provider gave to messages that exist. */
  remove(place: MessagePlace, tags: readonly MessageTag[]): Query<void>;
}

interface MarkRow extends MarkColumns {
  readonly id: string | Uint8Array;
}

/** Message before a change; `flags` is null when it was never marked. */
interface FormerRow extends Omit<MarkRow, "flags"> {
  readonly flags: number | null;
  readonly storedAs: number;
}

/** Marks of a message, in place of the former ones; none by default. */
export interface NewMarks {
  readonly id: MessageId;
  readonly marks: StoredMarks;
  readonly former?: StoredMarks;
}

const columns = `k.flags, k.tags, k.hidden_from as hidden`;

/** Statements about marks of messages. Their guarantees are those of `MarkStore`. */
export class MarkRows extends DialectRows {
  readonly #journal: JournalRows;
  readonly #tags: TagIndexRows;
  readonly #marked: string;
  readonly #position: string;

  constructor(dialect: SqlDialect, journal: JournalRows, tags: TagIndexRows) {
    super(dialect);
    const { ofEpoch, serverKey, slotColumn } = dialect;
    this.#journal = journal;
    this.#tags = tags;
    this.#position = `select epoch, sequence from server where ${serverKey} = $1`;
    this.#marked = `select m.id, ${columns}, k.sequence from mark k
      join message m on ${ofEpoch("m", "k.epoch")} and m.${slotColumn} = k.${slotColumn}
      where ${ofEpoch("k", `(select epoch from server where ${serverKey} = $1)`)}`;
  }

  *readMarks(server: ServerId, ids: readonly MessageId[]): Query<readonly MarkedMessage[]> {
    const own = ids.filter((id) => decodeMessageId(id).server === server);
    if (own.length === 0) return [];
    const { slotColumn, slotOf, isAmong, list } = this.dialect;
    const found = yield* this.#list(`and ${isAmong(`k.${slotColumn}`, "$2", "slot")}`, server, [list(own.map(slotOf))]);
    const wanted = new Set(own);
    return found.filter(({ id }) => wanted.has(id));
  }

  *listMarks(server: ServerId, sequence: number, limit: number): Query<readonly MarkedMessage[]> {
    return yield* this.#listSince("", server, [sequence, limit]);
  }

  *listHidden(server: ServerId, reader: string, sequence: number): Query<readonly MarkedMessage[]> {
    const isHidden = `and k.hidden_from is not null and ${this.dialect.contains("k.hidden_from", "$4")}`;
    return yield* this.#listSince(isHidden, server, [sequence, identityCountMax, JSON.stringify(reader)]);
  }

  /** Lists marks after the sequence number `$2`: `$3`, and all further ones of the last change. */
  *#listSince(condition: string, server: ServerId, values: readonly unknown[]): Query<readonly MarkedMessage[]> {
    const { ofEpoch, serverKey } = this.dialect;
    const last = `select k.sequence from mark k
      where ${ofEpoch("k", `(select epoch from server where ${serverKey} = $1)`)} ${condition} and k.sequence > $2
      order by k.sequence limit 1 offset cast($3 as integer) - 1`;
    const rest = `${condition} and k.sequence > $2 and k.sequence <= coalesce((${last}), ${Number.MAX_SAFE_INTEGER})`;
    return yield* this.#list(`${rest} order by k.sequence, m.id`, server, values);
  }

  *#list(rest: string, server: ServerId, values: readonly unknown[]): Query<readonly MarkedMessage[]> {
    const { toServer, fromSlot } = this.dialect;
    const rows = yield* rowsOf<MarkRow>(`${this.#marked} ${rest}`, [toServer(server), ...values]);
    return rows.map((row) => markedOf(fromSlot(row.id), row));
  }

  *listTags(server: ServerId): Query<readonly TagCount[]> {
    const { ofEpoch, serverKey, toServer, elementsOf } = this.dialect;
    return yield* rowsOf<TagCount>(
      `select t.value as tag, count(*) as "messageCount" from mark k cross join ${elementsOf("k.tags", "t")}
       where ${ofEpoch("k", `(select epoch from server where ${serverKey} = $1)`)} and k.tags <> '[]'
       group by t.value order by t.value limit cast($2 as integer)`,
      [toServer(server), serverTagCountMax],
    );
  }

  *countUnseen(server: ServerId, direction: Direction): Query<number> {
    const { ofEpoch, serverKey, slotColumn, slotIn, toServer } = this.dialect;
    const { first, last } = idsSince(server, direction);
    const [row] = yield* rowsOf<{ readonly count: number }>(
      `select s.${direction === "Sent" ? "sent_count" : "received_count"} - (select count(*) from mark k
         where ${ofEpoch("k", "s.epoch")} and k.${slotColumn} between ${slotIn("$2")} and ${slotIn("$3")}
           and k.flags & $4 <> 0) as count
       from server s where s.${serverKey} = $1`,
      [toServer(server), first, last, flagBits(["seen"])],
    );
    return row?.count ?? 0;
  }

  *listIdentities(server: ServerId, direction: Direction, after: MessageId | null): Query<IdentityPage> {
    const { ofEpoch, slotColumn, slotIn, slotOf, toServer, fromSlot } = this.dialect;
    // Read first: the page may also have messages that are stored meanwhile.
    const [position] = yield* rowsOf<{ epoch: number; sequence: number }>(this.#position, [toServer(server)]);
    if (position === undefined) return { identities: [], cursor: 0, hasMore: false };
    // The first slot of a direction belongs to no message: its random part is 0 at instant 0.
    const { first, last } = idsSince(server, direction);
    const rows = yield* rowsOf<{ id: string | Uint8Array; sequence: number }>(
      `select id, sequence from message m where ${ofEpoch("m", "$2")}
         and ${slotColumn} > ${slotIn("$3")} and ${slotColumn} <= ${slotIn("$4")}
       order by ${slotColumn} limit cast($5 as integer)`,
      [toServer(server), position.epoch, after === null ? first : slotOf(after), last, identityCountMax],
    );
    const identities = rows.map(({ id, sequence }) => ({ id: fromSlot(id), sequence }));
    return { identities, cursor: position.sequence, hasMore: rows.length === identityCountMax };
  }

  *changeMarks(server: ServerId, ids: readonly MessageId[], change: MarkChange): Query<MarkOutcome> {
    requireMarkedCount(ids);
    const own = [...new Set(ids)].filter((id) => decodeMessageId(id).server === server);
    const place = yield* lockServer(this.dialect, server);
    if (place === undefined || own.length === 0) return { sequence: undefined, changed: [] };
    const former = yield* this.#findFormer(place, own);
    const { unchangedSince } = change;
    const isModified = ({ sequence }: { sequence: number }): boolean => sequence > (unchangedSince ?? Infinity);
    const modified = unchangedSince === undefined ? {} : { modified: former.filter(isModified).map(({ id }) => id) };
    const changes = former
      .filter((one) => !isModified(one))
      .map(({ id, marks }) => ({ id, former: marks, marks: changeMarks(marks, change) }))
      .filter((one) => !sameMarks(one.marks, one.former));
    const [first, ...others] = changes;
    if (first === undefined) return { sequence: undefined, changed: [], ...modified };
    const sequence = yield* this.#journal.append(place.number, "marked", others.length === 0 ? first.id : null);
    yield* this.put(place, sequence, changes);
    return { sequence, changed: changes.map(({ id }) => id), ...modified };
  }

  /** Returns the messages among some, with the number of the last change of each or its marks. */
  *#findFormer(
    { number, epoch }: MessagePlace,
    ids: readonly MessageId[],
  ): Query<readonly { readonly id: MessageId; readonly marks: StoredMarks; readonly sequence: number }[]> {
    const { ofEpoch, slotColumn, slotOf, fromSlot, isAmong, list } = this.dialect;
    const rows = yield* rowsOf<FormerRow>(
      `select m.id, ${columns}, coalesce(k.sequence, 0) as sequence, m.sequence as "storedAs" from message m
       left join mark k on ${ofEpoch("k", "m.epoch")} and k.${slotColumn} = m.${slotColumn}
       where ${ofEpoch("m", "$2")} and ${isAmong(`m.${slotColumn}`, "$3", "slot")}`,
      [number, epoch, list(ids.map(slotOf))],
    );
    const byId = new Map(rows.map((row) => [fromSlot(row.id), row]));
    return ids.flatMap((id) => {
      const row = byId.get(id);
      if (row === undefined) return [];
      const { flags, sequence, storedAs } = row;
      const marks = flags === null ? noMarks : marksOf({ ...row, flags });
      return [{ id, marks, sequence: Math.max(sequence, storedAs) }];
    });
  }

  /** Stores marks with the number of their change, in a transaction that has locked the server. */
  *put({ number, epoch }: MessagePlace, sequence: number, marked: readonly NewMarks[]): Query<void> {
    const { epochColumns, epochValues, slotColumn, slotIn, slotOf, rowsIn } = this.dialect;
    const rows = marked.map(({ id, marks }) => {
      const hidden = marks.hiddenFrom === undefined ? null : JSON.stringify(marks.hiddenFrom);
      return [slotOf(id), flagBits(marks.flags), JSON.stringify(marks.tags), hidden];
    });
    yield* rowsOf(
      `insert into mark (${epochColumns}, ${slotColumn}, flags, tags, sequence, hidden_from)
       select ${epochValues}, ${slotIn("e.value ->> 0")}, cast(e.value ->> 1 as integer), e.value ->> 2,
         cast($3 as bigint), e.value ->> 3
       from ${rowsIn("$4", "e")} where true
       on conflict (${epochColumns}, ${slotColumn}) do update set flags = excluded.flags, tags = excluded.tags,
         sequence = excluded.sequence, hidden_from = excluded.hidden_from`,
      [number, epoch, sequence, JSON.stringify(rows)],
    );
    const added = marked.flatMap(({ id, marks, former = noMarks }) => tagsOf(id, marks.tags, former.tags));
    const removed = marked.flatMap(({ id, marks, former = noMarks }) => tagsOf(id, former.tags, marks.tags));
    if (added.length > 0) yield* this.#tags.add({ number, epoch }, added);
    if (removed.length > 0) yield* this.#tags.remove({ number, epoch }, removed);
  }

  /** Removes the marks of deleted messages. */
  *removeOf({ number, epoch }: MessagePlace, ids: readonly MessageId[]): Query<void> {
    const { ofEpoch, slotColumn, slotOf, fromSlot, isAmong, list } = this.dialect;
    const rows = yield* rowsOf<{ readonly slot: string | Uint8Array; readonly tags: string }>(
      `delete from mark as k where ${ofEpoch("k", "$2")} and ${isAmong(slotColumn, "$3", "slot")}
       returning ${slotColumn} as slot, tags`,
      [number, epoch, list(ids.map(slotOf))],
    );
    const tags = rows.flatMap((row) => tagsOf(fromSlot(row.slot), JSON.parse(row.tags) as readonly string[], []));
    if (tags.length > 0) yield* this.#tags.remove({ number, epoch }, tags);
  }
}

/** Returns the tags of a message that are not among others. */
function tagsOf(message: MessageId, tags: readonly string[], others: readonly string[]): readonly MessageTag[] {
  return tags.filter((tag) => !others.includes(tag)).map((tag) => ({ message, tag }));
}
