import { decodeMessageId } from "../../core/ids.ts";
import type { NewOutboxEntry } from "../outbox-store.ts";
import type { Session } from "./database.ts";
import { serverNumberOf } from "./id-slots.ts";
import { bind } from "./statement.ts";
import { toNullableText, toText } from "./text.ts";

const insert = `
  insert into outbox (entry, server_id, epoch, message, route, mail_from, rcpt_to, content, status, attempts, last_error,
    updated_at, due_at)
  values (:entry, :server, :epoch, :message, :route, :mailFrom, :rcptTo, :content, :status, :attempts, :lastError,
    :at, :dueAt)
  on conflict (entry) do nothing`;

/** Adds entries; those of messages only in the transaction that stores these. An entry that is there stays. */
export async function addEntries(session: Session, entries: readonly NewOutboxEntry[]): Promise<void> {
  for (const { message, content, status, at, ...entry } of entries) {
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
      attempts: isOver ? 1 : 0,
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
