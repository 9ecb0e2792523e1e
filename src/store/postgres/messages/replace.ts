import { decodeMessageId } from "../../../core/ids.ts";
import { writeChunks } from "../content/content.ts";
import type { Session } from "../connection/database.ts";
import { serverNumberOf, slotOf } from "./id-slots.ts";
import { hasChunks, type Incoming } from "./incoming.ts";
import type { Inserted } from "./insert.ts";
import { removeMessages } from "./remove.ts";
import { removeReparse } from "../../queues/added-work.ts";
import { runOn } from "../connection/dialect.ts";
import { lockServer } from "../account/servers.ts";

/**
 * Replaces a message by its new parse in one transaction: implements `replaceMessage` of the contract. `insert` stores
 * messages of one server.
 */
export async function replaceMessage(
  session: Session,
  message: Incoming,
  insert: (session: Session, messages: readonly Incoming[]) => Promise<Inserted | undefined>,
): Promise<number | undefined> {
  const { id } = message.message;
  const { server } = decodeMessageId(id);
  await runOn(session, removeReparse(id));
  const position = await lockServer(session, server);
  if (position === undefined) return undefined;
  const owner = { server: serverNumberOf(server), epoch: position.epoch };
  if ((await removeMessages(session, { ...owner, keepsOutbox: true }, [id])) === 0) return undefined;
  const inserted = await insert(session, [message]);
  if (inserted === undefined) return undefined;
  if (hasChunks(message)) await writeChunks(session, { ...owner, slot: slotOf(id) }, message.content);
  // The insert has counted it a second time.
  await session.query("update usage set email = email - 1 where server_id = $1 and day = $2", [
    message.serverNumber,
    message.day,
  ]);
  return inserted.base + 1;
}
