/** New messages: prepared without the database, and inserted with few statements. */
import { bigintArray, byteaArray, intArray, textArray, uuidArray, bind } from "../connection/parameters.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import { encodeSearchFields } from "../../../core/search/search-fields.ts";
import { type ServerQuota, storedBytes, dayOf } from "../../../core/server.ts";
import { kindNumberOf } from "../../records/change-rows.ts";
import { rowsOf, type Query } from "../../sql/query.ts";
import { labelRoles } from "../../../core/criteria.ts";
import { compressAsync } from "../../compression.ts";
import type { StoredAnnotation } from "../../records/annotation-rows.ts";
import type { PreparedMessage } from "../../records/message-rows.ts";
import type { NewMessage } from "../../store.ts";
import { addressKey } from "./address-keys.ts";
import { packContent, type StoredContent } from "../content/content.ts";
import { bytesOf, serverNumberOf } from "./id-slots.ts";

/** Position of inserted messages of one server: the first has the sequence number `base` + 1, the next one more. */
export interface Inserted {
  readonly epoch: number;
  readonly base: number;
  /** Id of the team that owns the server; '' for none. */
  readonly team: string;
}

/**
 * Locks the row of the server until the commit and takes the next numbers, which therefore have no gaps and follow the
 * commits. Does nothing when the server would exceed its quota, in which its held messages count too, and when its team has
 * limits, which `TeamLimitRows` compares.
 */
const held = "from scheduled_email h where h.server = :serverId::text and h.held_bytes is not null";
const advance = `
  update server set sequence = sequence + :count::bigint, received_count = received_count + :received::bigint,
    sent_count = sent_count + :sent::bigint, byte_count = byte_count + :byteCount::bigint,
    traffic_at = greatest(traffic_at, :trafficAt::double precision)
  where server_id = :server::bigint and (not :checksQuota::boolean or (
    (team is null or not exists (select 1 from team_limit l where l.team = server.team)) and
    (coalesce(quota_messages, :messagesMax::bigint) is null
      or received_count + sent_count + :count::bigint + (select count(*) ${held})
        <= coalesce(quota_messages, :messagesMax::bigint))
    and (coalesce(quota_bytes, :bytesMax::bigint) is null
      or byte_count + :byteCount::bigint + (select coalesce(sum(h.held_bytes), 0) ${held})
        <= coalesce(quota_bytes, :bytesMax::bigint))))
  returning epoch, sequence - :count::bigint as base, coalesce(team, '') as team`;

/** Further inserts, each from `a(epoch, base)`. */
const inserts = (a: string): Readonly<Record<string, string>> => ({
  messages: `
  insert into message (server_id, epoch, slot, id, sequence, summary, subject, body, addresses, detail_size, raw_size,
    detail_chunk_count, raw_chunk_count, detail, raw, bytes, fields, size)
  select :server::bigint, a.epoch, m.slot, m.id, a.base + m.n, m.summary, m.subject, m.body, m.addresses,
    m.detail_size, m.raw_size, m.detail_chunk_count, m.raw_chunk_count, m.detail, m.raw, m.bytes,
    m.fields, m.size
  from ${a} a cross join unnest(:slots::uuid[], :ids::uuid[], :summaries::text[], :subjects::text[], :bodies::text[],
    :addresses::bytea[], :detailSizes::int4[], :rawSizes::int4[], :detailChunkCounts::int4[],
    :rawChunkCounts::int4[], :details::bytea[], :raws::bytea[], :byteCounts::int8[],
    :fields::text[], :sizes::int4[])
    with ordinality as m(slot, id, summary, subject, body, addresses, detail_size, raw_size, detail_chunk_count,
      raw_chunk_count, detail, raw, bytes, fields, size, n)`,
  changes: `
  insert into change (server_id, sequence, kind, id)
  select :server::bigint, a.base + m.n, m.kind, m.id
  from ${a} a cross join unnest(:ids::uuid[], :kinds::int4[]) with ordinality as m(id, kind, n)`,
  addresses: `
  insert into address (server_id, epoch, key, slot)
  select :server::bigint, a.epoch, k.key, k.slot
  from ${a} a cross join unnest(:addressKeys::uuid[], :addressSlots::uuid[]) as k(key, slot)
  on conflict do nothing`,
  usages: `
  insert into usage (server_id, day, team, email, sms, bytes)
  select :server::bigint, u.day, a.team, u.email, u.sms, u.bytes
  from ${a} a cross join unnest(:days::int4[], :emails::int8[], :texts::int8[], :dayBytes::int8[])
    as u(day, email, sms, bytes)
  on conflict (server_id, day, team) do update set email = usage.email + excluded.email,
    sms = usage.sms + excluded.sms, bytes = usage.bytes + excluded.bytes`,
});

/** Inserts everything with one statement, which needs no explicit transaction. */
const insertAtOnce = `with advanced as (${advance})${Object.entries(inserts("advanced"))
  .map(([name, sql]) => `, ${name} as (${sql})`)
  .join("")} select epoch, base, team from advanced`;

/** Inserts with several statements, for distributed tables: each is a plain statement on one shard. */
const insertsInTurn = Object.values(
  inserts("(select :epoch::bigint as epoch, :base::bigint as base, :team::text as team)"),
);

/**
 * Stores new messages of one server without their chunks. `fallback` is the default quota of servers; null checks no
 * limits. Returns undefined when there is no such server, its quota is exceeded or its team has limits; throws SQLSTATE 23505 when a slot is
 * taken, and stores nothing then. For distributed tables, the statements need a transaction.
 */
export function* insertMessages(
  messages: readonly Incoming[],
  fallback: ServerQuota | null,
  isDistributed: boolean,
): Query<Inserted | undefined> {
  const values = { ...parametersOf(messages), ...quotaParameters(fallback) };
  try {
    const first = bind(isDistributed ? advance : insertAtOnce, values);
    const [inserted] = yield* rowsOf<Inserted>(first.sql, first.parameters);
    for (const insert of inserted !== undefined && isDistributed ? insertsInTurn : []) {
      const { sql, parameters } = bind(insert, { ...values, ...inserted });
      yield* rowsOf(sql, parameters);
    }
    return inserted;
  } finally {
    discard(values);
  }
}

/** Frees buffers that were sent; the garbage collector would let thousands of them pile up. */
function discard({ details, raws, bodies }: Readonly<Record<string, unknown>>): void {
  for (const array of [details, raws, bodies]) {
    // Buffers of the pool of Node are shared.
    const isOwn = array instanceof Uint8Array && array.length === array.buffer.byteLength;
    if (isOwn && array.buffer instanceof ArrayBuffer) array.buffer.transfer(0);
  }
}

function parametersOf(messages: readonly Incoming[]): Readonly<Record<string, unknown>> {
  const sentCount = messages.filter(({ isSent }) => isSent).length;
  const addresses = messages.flatMap(({ addressKeys, slot }) => addressKeys.map((key) => ({ key, slot })));
  return {
    server: messages[0]?.serverNumber,
    serverId: messages[0]?.server,
    count: messages.length,
    byteCount: messages.reduce((sum, { bytes }) => sum + bytes, 0),
    byteCounts: bigintArray(messages.map(({ bytes }) => bytes)),
    received: messages.length - sentCount,
    sent: sentCount,
    slots: uuidArray(messages.map(({ slot }) => slot)),
    ids: uuidArray(messages.map(({ idBytes }) => idBytes)),
    kinds: intArray(messages.map(({ isSent }) => kindNumberOf(isSent ? "sent" : "received"))),
    summaries: textArray(messages.map(({ message }) => message.summaryJson)),
    subjects: textArray(messages.map(({ message }) => message.keys.subject)),
    addresses: byteaArray(messages.map(({ addressKeys }) => Buffer.concat(addressKeys))),
    fields: textArray(messages.map(({ message }) => encodeSearchFields(message.keys.fields))),
    sizes: intArray(messages.map(({ message }) => message.raw.length)),
    addressKeys: uuidArray(addresses.map(({ key }) => key)),
    addressSlots: uuidArray(addresses.map(({ slot }) => slot)),
    trafficAt: Math.max(...messages.map(({ id }) => decodeMessageId(id).receivedAt)),
    ...usageParameters(messages),
    ...contentParameters(messages),
    bodies: textArray(messages.map(({ message }) => message.keys.body.text ?? "")),
  };
}

function quotaParameters(fallback: ServerQuota | null): Readonly<Record<string, unknown>> {
  return { checksQuota: fallback !== null, messagesMax: fallback?.messages ?? null, bytesMax: fallback?.bytes ?? null };
}

function contentParameters(messages: readonly Incoming[]): Readonly<Record<string, unknown>> {
  const contents = messages.map(({ content }) => content);
  return {
    detailSizes: intArray(contents.map(({ detailSize }) => detailSize)),
    rawSizes: intArray(contents.map(({ rawSize }) => rawSize)),
    detailChunkCounts: intArray(contents.map(({ detail }) => detail.chunks.length)),
    rawChunkCounts: intArray(contents.map(({ raw }) => raw?.chunks.length ?? 0)),
    details: byteaArray(contents.map(({ detail }) => detail.inline)),
    raws: byteaArray(contents.map(({ raw }) => raw?.inline ?? null)),
  };
}

function usageParameters(messages: readonly Incoming[]): Readonly<Record<string, unknown>> {
  const days = [...new Set(messages.map(({ day }) => day))];
  const countOf = (wanted: number, ofSms: boolean): number =>
    messages.filter(({ day, isSms }) => day === wanted && isSms === ofSms).length;
  const bytesOf = (wanted: number): number =>
    messages.reduce((sum, { day, bytes }) => (day === wanted ? sum + bytes : sum), 0);
  return {
    days: intArray(days),
    emails: bigintArray(days.map((day) => countOf(day, false))),
    texts: bigintArray(days.map((day) => countOf(day, true))),
    dayBytes: bigintArray(days.map(bytesOf)),
  };
}

/** Message prepared for its rows. */
export interface Incoming extends PreparedMessage {
  readonly message: NewMessage;
  readonly server: ServerId;
  readonly serverNumber: number;
  readonly idBytes: Uint8Array;
  readonly slot: Uint8Array;
  readonly isSent: boolean;
  /** Day of receipt. */
  readonly day: number;
  readonly addressKeys: readonly Buffer[];
  readonly content: StoredContent;
  /** Approximate size of its rows. */
  readonly sizeBytes: number;
}

/** Prepares a message without using the database. */
export async function prepare(message: NewMessage): Promise<Incoming> {
  const { id, keys, raw, detailJson } = message;
  const { server, direction, receivedAt } = decodeMessageId(id);
  const content = await packContent({ detail: detailJson, raw });
  const inlineBytes = content.detail.inline.length + (content.raw?.inline.length ?? 0);
  const { id: idBytes, slot } = bytesOf(id);
  const annotations = (message.annotations ?? []).map(async ({ kind, json }): Promise<StoredAnnotation> => {
    return { kind, ...(await compressAsync(Buffer.from(json))) };
  });
  return {
    message,
    id,
    summary: message.summaryJson,
    annotations: await Promise.all(annotations),
    marks: message.marks,
    server,
    serverNumber: serverNumberOf(server),
    idBytes,
    slot,
    isSent: direction === "Sent",
    day: dayOf(receivedAt),
    isSms: raw.length === 0,
    addressKeys: [
      ...keys.from.map((address) => addressKey("from", address)),
      ...keys.to.map((address) => addressKey("to", address)),
      ...labelRoles.flatMap((role) => (keys[role] ?? []).map((label) => addressKey(role, label))),
    ],
    content,
    bytes: storedBytes({ raw, detail: detailJson }),
    sizeBytes: inlineBytes + keys.body.byteLength + keys.subject.length + message.summaryJson.length,
  };
}

/** Returns whether parts of the message are in chunks. */
export function hasChunks({ content }: Incoming): boolean {
  return content.detail.chunks.length + (content.raw?.chunks.length ?? 0) > 0;
}

/** Returns whether annotations or marks are stored with the message. */
export function hasCompanions({ annotations, marks }: Incoming): boolean {
  return annotations.length > 0 || marks !== undefined;
}
