import { decodeMessageId } from "../../../core/ids.ts";
import { spendAllowance } from "../../outbound-window.ts";
import type { OutboundAllowance, OutboundWindow } from "../../outbound-window.ts";
import type { NewDelivery } from "../../callback-store.ts";
import type { OutboundEntries, NewOutboxEntry } from "../../outbox-store.ts";
import { countNewOutbound } from "../callbacks/delivery-inserts.ts";
import type { Session } from "../connection/database.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { bind } from "../connection/statement.ts";
import { toNullableText, toText } from "../connection/text.ts";

const insert = `
  insert into outbox (entry, server_id, epoch, message, route, mail_from, rcpt_to, content, status, attempts, last_error,
    updated_at, due_at)
  values (:entry, :server, :epoch, :message, :route, :mailFrom, :rcptTo, :content, :status, :attempts, :lastError,
    :at, :dueAt)
  on conflict (entry) do nothing`;

/**
 * Adds what leaves, that of messages only in the transaction that stores these. Throws `too_many_requests` where that is
 * more than the hour still takes: the transaction must not be committed then. Deliveries, which the caller adds, are only
 * counted.
 */
export async function addOutbound(
  session: Session,
  { entries = [], allowance = null }: OutboundEntries,
  deliveries: readonly NewDelivery[] = [],
): Promise<void> {
  if (allowance !== null) await spend(session, { entries, deliveries }, allowance);
  await addEntries(session, entries);
}

/** Locks the row of the current hour until the commit, so that the counts of all nodes are serialised. */
async function spend(
  session: Session,
  { entries, deliveries }: { readonly entries: readonly NewOutboxEntry[]; readonly deliveries: readonly NewDelivery[] },
  allowance: OutboundAllowance,
): Promise<void> {
  const queued = entries.filter(({ status }) => status === "Queued").map(({ id }) => toText(id));
  if (queued.length === 0 && !deliveries.some(({ deliversMessage }) => deliversMessage)) return;
  const [window] = await session.query<OutboundWindow>(
    `select leaving_started_at as "startedAt", leaving_count as count from state for update`,
  );
  const there = await session.query("select 1 from outbox where entry = any($1::text[])", [queued]);
  const count = queued.length - there.length + (await countNewOutbound(session, deliveries));
  const spent = spendAllowance(window ?? { startedAt: 0, count: 0 }, allowance, count);
  await session.query("update state set leaving_started_at = $1, leaving_count = $2", [spent.startedAt, spent.count]);
}

/** An entry that is there stays. */
async function addEntries(session: Session, entries: readonly NewOutboxEntry[]): Promise<void> {
  for (const { message, content, status, attempts = 1, at, ...entry } of entries) {
    const server = message === null ? null : serverNumberOf(decodeMessageId(message).server);
    const isOver = status !== "Queued";
    const { sql, parameters } = bind(insert, {
      entry: toText(entry.id),
      server,
      epoch: server === null ? null : await epochOf(session, server),
      message,
      route: entry.route,
      mailFrom: toText(entry.mailFrom),
      rcptTo: JSON.stringify(entry.rcptTo),
      content: content === null ? null : Buffer.from(content),
      status,
      attempts: isOver ? attempts : 0,
      lastError: toNullableText(entry.lastError),
      at,
      dueAt: isOver ? null : at,
    });
    await session.query(sql, parameters);
  }
}

/** The present epoch of a server; null when there is none. */
export async function epochOf(session: Session, server: number): Promise<number | null> {
  const [row] = await session.query<{ epoch: number }>("select epoch from server where server_id = $1", [server]);
  return row?.epoch ?? null;
}
