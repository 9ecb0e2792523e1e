import type { MessageId } from "../../../core/ids.ts";
import { uuidArray } from "../connection/arrays.ts";
import type { Session } from "../connection/database.ts";
import { bytesOf } from "./id-slots.ts";

/** Removes the entry of a message. */
export async function removeReparse(session: Session, message: MessageId): Promise<void> {
  await session.query("delete from reread where message = $1", [message]);
}

/** Adds entries of messages in the transaction that stores them. */
export async function addReparses(session: Session, messages: readonly MessageId[], dueAt: number): Promise<void> {
  if (messages.length === 0) return;
  await session.query(
    `insert into reread (message, attempts, due_at) select id, 0, $2 from unnest($1::uuid[]) as m(id)
     on conflict (message) do nothing`,
    [uuidArray(messages.map((message) => bytesOf(message).id)), dueAt],
  );
}
