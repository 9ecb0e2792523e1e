import type { DatabaseSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import { takeExpired } from "../../records/expired-messages.ts";
import type { ExpiryRule } from "../../store.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";
import type { MessageWrites } from "../messages/messages.ts";

/** Returns a function that deletes expired messages of a server in one step, for use inside the writer's transaction. */
export function bindExpireMessages(
  database: DatabaseSync,
  messages: MessageWrites,
): (server: ServerId, rule: ExpiryRule) => number {
  const run = queryRunner(database);
  return (server, rule) => {
    const { ids = [] } = run(takeExpired(sqliteDialect, server, rule)) ?? {};
    for (const id of ids) messages.delete(id);
    return ids.length;
  };
}
