import { decodeMessageId } from "../../core/ids.ts";
import type { NewOutboxEntry } from "../outbox-store.ts";
import type { Session } from "./database.ts";
import { serverNumberOf } from "./id-slots.ts";
import { toNullableText, toText } from "./text.ts";

/** Adds entries; those of messages only in the transaction that stores these. An entry that is there stays. */
export async function addEntries(session: Session, entries: readonly NewOutboxEntry[]): Promise<void> {
  for (const { id, message, route, mailFrom, rcptTo, content, status, lastError, at } of entries) {
    const server = message === null ? null : serverNumberOf(decodeMessageId(message).server);
    const epoch = server === null ? null : await epochOf(session, server);
    const isOver = status !== "Queued";
    await session.query(
      `insert into outbox (entry, server_id, epoch, message, route, mail_from, rcpt_to, content, status, attempts,
         last_error, updated_at, due_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict (entry) do nothing`,
      [
        ...[toText(id), server, epoch, message, route, toText(mailFrom), JSON.stringify(rcptTo)],
        ...[content === null ? null : Buffer.from(content), status, isOver ? 1 : 0, toNullableText(lastError)],
        ...[at, isOver ? null : at],
      ],
    );
  }
}

/** The present epoch of a server; null when there is none. */
export async function epochOf(session: Session, server: number): Promise<number | null> {
  const [row] = await session.query<{ epoch: number }>("select epoch from server where server_id = $1", [server]);
  return row?.epoch ?? null;
}
