import type { ServerId } from "../../../core/ids.ts";
import { takeExpired } from "../../records/expired-messages.ts";
import type { ExpiryRule } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import { postgresDialect, runOn } from "../connection/dialect.ts";
import { removeMessages } from "../messages/remove.ts";

/** Removes expired messages of a server in one step, oldest first over both directions; returns their number. */
export async function expireMessages(database: Database, server: ServerId, rule: ExpiryRule): Promise<number> {
  return await database.transact(async (session) => {
    const expired = await runOn(session, takeExpired(postgresDialect, server, rule));
    if (expired === undefined) return 0;
    const { position, ids } = expired;
    await removeMessages(session, { server: position.number, epoch: position.epoch }, ids);
    return ids.length;
  });
}
