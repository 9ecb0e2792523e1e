import { decodeMessageId } from "../../../core/ids.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { serverTagCountMax } from "../../../core/limits.ts";
import { changeMarks, flagBits, noMarks, sameMarks } from "../../../core/marks.ts";
import type { MarkChange, StoredMarks } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import { identityCountMax, markedOf, marksOf, requireMarkedCount } from "../../mark-store.ts";
import type { IdentityPage, MarkColumns, MarkOutcome, MarkStore, TagCount } from "../../mark-store.ts";
import { lockServer } from "../account/servers.ts";
import { intArray, textArray, uuidArray } from "../connection/arrays.ts";
import type { Database, Session } from "../connection/database.ts";
import { addressKey, splitKeys } from "./address-keys.ts";
import type { MessageRange } from "./annotations.ts";
import { appendChange } from "./changes.ts";
import { bytesOf, serverNumberOf, slotOf, slotsSince } from "./id-slots.ts";

interface MarkRow extends MarkColumns {
  readonly id: MessageId;
}

/** Message before a change; `flags` is null when it was never marked. */
interface FormerRow {
  readonly id: MessageId;
  readonly addresses: Buffer;
  readonly flags: number | null;
  readonly tags: string | null;
  readonly hidden: string | null;
  readonly sequence: number;
}

/** Message whose marks change. */
interface ChangedMarks {
  readonly id: MessageId;
  readonly marks: StoredMarks;
  readonly former: StoredMarks;
  /** Keys that the message has without its marks. */
  readonly ownKeys: readonly Uint8Array[];
}

/** Present messages of a server, and the number of a change of their marks. */
interface MarkScope {
  readonly server: number;
  readonly epoch: number;
  readonly sequence: number;
}

const marked = `select m.id, k.flags, k.tags, k.hidden_from as hidden, k.sequence from mark k
  join message m on m.server_id = k.server_id and m.epoch = k.epoch and m.slot = k.slot
  where k.server_id = $1 and k.epoch = (select epoch from server where server_id = $1)`;
const inEpoch = "server_id = $1 and epoch = (select epoch from server where server_id = $1)";

/** Creates the store of marks. `onChanged` is called after each change of a server, with its number. */
export function createMarkStore(
  database: Database,
  onChanged: (server: ServerId, sequence: number) => void,
): MarkStore {
  return {
    readMarks: async (server, ids) => {
      const own = ids.filter((id) => decodeMessageId(id).server === server);
      if (own.length === 0) return [];
      return (
        await database.query<MarkRow>(`${marked} and k.slot = any($2::uuid[]) and m.id = any($3::uuid[])`, [
          serverNumberOf(server),
          slotArray(own),
          uuidArray(own.map((id) => bytesOf(id).id)),
        ])
      ).map((row) => markedOf(row.id, row));
    },
    changeMarks: async (server, ids, change) => {
      requireMarkedCount(ids);
      const own = [...new Set(ids)].filter((id) => decodeMessageId(id).server === server);
      const outcome = await database.transact(
        async (session) => await changeAll(session, { server, ids: own, change }),
      );
      if (outcome.sequence !== undefined) onChanged(server, outcome.sequence);
      return outcome;
    },
    listMarks: async (server, sequence, limit) =>
      (
        await database.query<MarkRow>(
          `${marked} and k.sequence > $2 order by k.sequence fetch first $3 rows with ties`,
          [serverNumberOf(server), sequence, limit],
        )
      ).map((row) => markedOf(row.id, row)),
    listHidden: async (server, reader, sequence) =>
      (
        await database.query<MarkRow>(
          `${marked} and k.sequence > $2 and k.hidden_from is not null and position($4 in k.hidden_from) > 0
           order by k.sequence fetch first $3 rows with ties`,
          [serverNumberOf(server), sequence, identityCountMax, JSON.stringify(reader)],
        )
      ).map((row) => markedOf(row.id, row)),
    listTags: async (server) =>
      await database.query<TagCount>(
        `select tag, count(*)::int8 as "messageCount"
         from mark cross join lateral jsonb_array_elements_text(tags::jsonb) as t(tag)
         where ${inEpoch} and tags <> '[]' group by tag order by tag collate "C" limit $2`,
        [serverNumberOf(server), serverTagCountMax],
      ),
    countUnseen: async (server, direction) => await countUnseen(database, server, direction),
    listIdentities: async (server, direction, after) => await listIdentities(database, { server, direction, after }),
  };
}

async function countUnseen(database: Database, server: ServerId, direction: Direction): Promise<number> {
  const { first, last } = slotsSince(server, direction, 0);
  const [row] = await database.query<{ count: number }>(
    `select s.${direction === "Sent" ? "sent_count" : "received_count"} - (select count(*) from mark k
       where k.server_id = $1 and k.epoch = s.epoch and k.slot between $2 and $3 and k.flags & $4 <> 0) as count
     from server s where s.server_id = $1`,
    [serverNumberOf(server), first, last, flagBits(["seen"])],
  );
  return row?.count ?? 0;
}

async function listIdentities(
  database: Database,
  { server, direction, after }: { server: ServerId; direction: Direction; after: MessageId | null },
): Promise<IdentityPage> {
  const { first, last } = slotsSince(server, direction, 0);
  // The slot before the first one of a direction belongs to no message: its instant is 0.
  const from = after === null ? first : slotOf(after);
  const rows = await database.query<{ cursor: number; id: MessageId | null; sequence: number }>(
    `select s.sequence as cursor, m.id, m.sequence from server s left join lateral (
       select id, sequence, slot from message
       where server_id = $1 and epoch = s.epoch and slot > $2 and slot <= $3 order by slot limit $4) m on true
     where s.server_id = $1 order by m.slot`,
    [serverNumberOf(server), from, last, identityCountMax],
  );
  return {
    identities: rows.flatMap(({ id, sequence }) => (id === null ? [] : [{ id, sequence }])),
    cursor: rows[0]?.cursor ?? 0,
    hasMore: rows.length === identityCountMax,
  };
}

async function changeAll(
  session: Session,
  {
    server,
    ids,
    change,
  }: { readonly server: ServerId; readonly ids: readonly MessageId[]; readonly change: MarkChange },
): Promise<MarkOutcome> {
  const position = await lockServer(session, server);
  if (position === undefined || ids.length === 0) return { sequence: undefined, changed: [] };
  const number = serverNumberOf(server);
  const former = await findFormer(session, { server: number, epoch: position.epoch }, ids);
  const late = new Set(former.filter(({ sequence }) => sequence > (change.unchangedSince ?? Infinity)));
  const modified = change.unchangedSince === undefined ? {} : { modified: Array.from(late, ({ id }) => id) };
  const unchanged = former.filter((row) => !late.has(row));
  const changes = planChanges(unchanged, change);
  const [first, ...others] = changes;
  if (first === undefined) return { sequence: undefined, changed: [], ...modified };
  const sequence = await appendChange(session, number, { kind: "marked", id: others.length === 0 ? first.id : null });
  await writeMarks(session, { server: number, epoch: position.epoch, sequence }, changes);
  return { sequence, changed: changes.map(({ id }) => id), ...modified };
}

async function findFormer(
  session: Session,
  { server, epoch }: Omit<MarkScope, "sequence">,
  ids: readonly MessageId[],
): Promise<readonly FormerRow[]> {
  const rows = await session.query<FormerRow>(
    `select m.id, m.addresses, k.flags, k.tags, k.hidden_from as hidden, greatest(m.sequence, k.sequence) as sequence from message m
     left join mark k on k.server_id = m.server_id and k.epoch = m.epoch and k.slot = m.slot
     where m.server_id = $1 and m.epoch = $2 and m.slot = any($3::uuid[])`,
    [server, epoch, slotArray(ids)],
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function planChanges(rows: readonly FormerRow[], change: MarkChange): readonly ChangedMarks[] {
  return rows.flatMap((row) => {
    const former = row.flags === null ? noMarks : marksOf({ ...row, flags: row.flags, tags: row.tags ?? "[]" });
    const marks = changeMarks(former, change);
    return sameMarks(marks, former) ? [] : [{ id: row.id, marks, former, ownKeys: splitKeys(row.addresses) }];
  });
}

/** Stores marks in place of the former ones, with the index keys of their tags. */
async function writeMarks(
  session: Session,
  { server, epoch, sequence }: MarkScope,
  changes: readonly ChangedMarks[],
): Promise<void> {
  await session.query(
    `insert into mark (server_id, epoch, slot, flags, tags, sequence, hidden_from)
     select $1::bigint, $2::bigint, k.slot, k.flags, k.tags, $3::bigint, nullif(k.hidden, '[]')
     from unnest($4::uuid[], $5::int4[], $6::text[], $7::text[]) as k(slot, flags, tags, hidden)
     on conflict (server_id, epoch, slot) do update set flags = excluded.flags, tags = excluded.tags,
       sequence = excluded.sequence, hidden_from = excluded.hidden_from`,
    [
      server,
      epoch,
      sequence,
      slotArray(changes.map(({ id }) => id)),
      intArray(changes.map(({ marks }) => flagBits(marks.flags))),
      textArray(changes.map(({ marks }) => JSON.stringify(marks.tags))),
      textArray(changes.map(({ marks }) => JSON.stringify(marks.hiddenFrom ?? []))),
    ],
  );
  const added = changes.flatMap(({ id, marks, former }) => keysOf(id, without(marks.tags, former.tags)));
  const removed = changes.flatMap(({ id, marks, former, ownKeys }) =>
    keysOf(id, without(former.tags, marks.tags)).filter(({ key }) => !ownKeys.some((own) => key.equals(own))),
  );
  if (added.length > 0) {
    await session.query(
      `insert into address (server_id, epoch, key, slot) select $1::bigint, $2::bigint, k.key, k.slot
       from unnest($3::uuid[], $4::uuid[]) as k(key, slot) on conflict do nothing`,
      [server, epoch, ...keyArrays(added)],
    );
  }
  if (removed.length > 0) await removeKeys(session, { server, epoch }, removed);
}

/** Stores the marks of new messages, with the sequence number of each. */
export async function addMarks(
  session: Session,
  messages: readonly { readonly id: MessageId; readonly marks: StoredMarks; readonly sequence: number }[],
): Promise<void> {
  for (const { id, marks, sequence } of messages) {
    const { server } = decodeMessageId(id);
    const position = await lockServer(session, server);
    if (position === undefined) throw new Error("a server vanished within a transaction");
    const scope = { server: serverNumberOf(server), epoch: position.epoch, sequence };
    await writeMarks(session, scope, [{ id, marks, former: noMarks, ownKeys: [] }]);
  }
}

/** Returns the marks of the messages in a range of slots, by slot; unmarked messages are absent. */
export async function readMarksBySlot(
  session: Session,
  { server, epoch, first, last }: MessageRange,
): Promise<ReadonlyMap<string, StoredMarks>> {
  const rows = await session.query<MarkRow & { readonly slot: string }>(
    "select slot, flags, tags, hidden_from as hidden from mark where server_id = $1 and epoch = $2 and slot between $3 and $4",
    [server, epoch, first, last],
  );
  return new Map(rows.map((row) => [row.slot, marksOf(row)]));
}

/** Removes the marks of deleted messages, with the index keys of their tags. */
export async function removeMarks(
  session: Session,
  { server, epoch }: Omit<MarkScope, "sequence">,
  slots: Buffer,
): Promise<void> {
  const rows = await session.query<{ slot: string; tags: string }>(
    `delete from mark where server_id = $1 and epoch = $2 and slot = any($3::uuid[]) returning slot, tags`,
    [server, epoch, slots],
  );
  const keys = rows.flatMap(({ slot, tags }) => keysOf(slot as MessageId, JSON.parse(tags) as readonly string[]));
  if (keys.length > 0) await removeKeys(session, { server, epoch }, keys);
}

/** Removes the marks of the messages of an abandoned epoch up to a slot; their index keys are removed with the others. */
export async function purgeMarks(session: Session, range: readonly unknown[]): Promise<void> {
  await session.query("delete from mark where server_id = $1 and epoch = $2 and slot <= $3", range);
}

/** Index key of a tag, and the slot of its message. */
interface TagKey {
  readonly key: Buffer;
  readonly slot: Uint8Array;
}

async function removeKeys(
  session: Session,
  { server, epoch }: Omit<MarkScope, "sequence">,
  keys: readonly TagKey[],
): Promise<void> {
  await session.query(
    `delete from address a using unnest($3::uuid[], $4::uuid[]) as gone(key, slot)
     where a.server_id = $1 and a.epoch = $2 and a.key = gone.key and a.slot = gone.slot`,
    [server, epoch, ...keyArrays(keys)],
  );
}

function keyArrays(keys: readonly TagKey[]): readonly [Buffer, Buffer] {
  return [uuidArray(keys.map(({ key }) => key)), uuidArray(keys.map(({ slot }) => slot))];
}

function keysOf(id: MessageId, tags: readonly string[]): readonly TagKey[] {
  const { slot } = bytesOf(id);
  return tags.map((tag) => ({ key: addressKey("tag", tag), slot }));
}

function slotArray(ids: readonly MessageId[]): Buffer {
  return uuidArray(ids.map((id) => bytesOf(id).slot));
}

function without(tags: readonly string[], others: readonly string[]): readonly string[] {
  return tags.filter((tag) => !others.includes(tag));
}
