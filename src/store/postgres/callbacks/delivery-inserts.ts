import type { Clock } from "../../../core/clock.ts";
import { decodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { NewDelivery } from "../../callback-store.ts";
import { bigintArray, byteaArray, intArray, uuidArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import { toNullableText, toText } from "../connection/text.ts";
import { lockServer } from "../account/servers.ts";
import { bytesOf, serverIdOf, serverNumberOf } from "../messages/id-slots.ts";

const insert = `
  insert into callback_delivery (id, number, server_id, target, queue, message, delivers_message, type, attempts_max,
    first_due_at, due_at, created_at, content, is_message_stored, status, attempt_count, schedule_step, attempts)
  select d.id, d.number, d.server_id, d.target, d.queue, d.message::uuid, d.delivers_message, d.type, d.attempts_max,
    d.due_at, d.due_at, d.created_at, d.content, d.delivers_message and d.message is not null, 'Pending', 0, 0, '{}'::text[]
  from unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[],
    $9::int4[], $10::float8[], $11::float8[], $12::bytea[])
    as d(id, number, server_id, target, queue, message, delivers_message, type, attempts_max, due_at, created_at, content)
  on conflict (id) do nothing`;

/** Adds deliveries, for use inside a transaction. */
export class DeliveryInserts {
  readonly #clock: Clock;
  /** Microseconds since the Unix epoch, so that the numbers of several nodes follow their clocks. */
  #lastNumber = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds deliveries whose server, target and, unless the transaction has stored it, delivered message exist. Locks the
   * servers of those without a target first, as everywhere; then the targets, so that none is removed before the commit.
   */
  async add(
    session: Session,
    deliveries: readonly NewDelivery[],
    { messagesStored = false }: { readonly messagesStored?: boolean } = {},
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const direct = deliveries.filter(({ target }) => target === null).map(({ server }) => serverNumberOf(server));
    const servers = await lockServers(session, direct);
    const outbound = deliveries.flatMap(({ deliversMessage, message }) => (deliversMessage ? (message ?? []) : []));
    const messages = messagesStored ? null : await findMessages(session, outbound);
    const targets = await lockTargets(session, deliveries);
    const isPresent = ({ server, target, deliversMessage, message }: NewDelivery): boolean => {
      const hasOwner = target === null ? servers.has(serverNumberOf(server)) : targets.has(toText(target));
      return hasOwner && (!deliversMessage || message === null || (messages?.has(message) ?? true));
    };
    await this.#insert(session, deliveries.filter(isPresent));
  }

  async #insert(session: Session, deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const first = Math.max(this.#lastNumber + 1, Math.floor(this.#clock.now() * 1000));
    this.#lastNumber = first + deliveries.length - 1;
    await session.query(insert, [
      deliveries.map(({ id }) => toText(id)),
      bigintArray(deliveries.map((_, at) => first + at)),
      bigintArray(deliveries.map(({ server }) => serverNumberOf(server))),
      deliveries.map(({ target }) => toNullableText(target)),
      deliveries.map(({ target, queue }) => toText(target ?? queue)),
      deliveries.map(({ message }) => message),
      deliveries.map(({ deliversMessage }) => deliversMessage),
      deliveries.map(({ type }) => toText(type)),
      intArray(deliveries.map(({ attemptsMax }) => attemptsMax)),
      deliveries.map(({ dueAt }) => dueAt),
      deliveries.map(({ createdAt }) => createdAt),
      byteaArray(deliveries.map(({ content }) => content)),
    ]);
  }
}

async function lockServers(session: Session, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  const present = new Set<number>();
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    if ((await lockServer(session, serverIdOf(number))) !== undefined) present.add(number);
  }
  return present;
}

async function lockTargets(session: Session, deliveries: readonly NewDelivery[]): Promise<ReadonlySet<string>> {
  const wanted = new Set(deliveries.flatMap(({ target }) => (target === null ? [] : toText(target))));
  if (wanted.size === 0) return wanted;
  const rows = await session.query<{ id: string }>(
    "select id from callback_target where id = any($1::text[]) order by id for key share",
    [[...wanted]],
  );
  return new Set(rows.map(({ id }) => id));
}

async function findMessages(session: Session, ids: readonly MessageId[]): Promise<ReadonlySet<MessageId>> {
  const present = new Set<MessageId>();
  for (const [server, own] of Map.groupBy(ids, (id) => decodeMessageId(id).server)) {
    const rows = await session.query<{ id: MessageId }>(
      `select id from message where server_id = $1 and epoch = (select epoch from server where server_id = $1)
         and slot = any($2::uuid[])`,
      [serverNumberOf(server), uuidArray(own.map((id) => bytesOf(id).slot))],
    );
    for (const { id } of rows) present.add(id);
  }
  return present;
}

/** Returns how many deliveries are not stored yet and deliver a message. */
export async function countNewOutbound(session: Session, deliveries: readonly NewDelivery[]): Promise<number> {
  const ids = deliveries.filter(({ deliversMessage }) => deliversMessage).map(({ id }) => toText(id));
  if (ids.length === 0) return 0;
  const stored = await session.query("select 1 from callback_delivery where id = any($1::text[])", [ids]);
  return ids.length - stored.length;
}
