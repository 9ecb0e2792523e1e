import type { DatabaseSync } from "node:sqlite";
import { Problem } from "../../../core/errors.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import {
  annotationBytes,
  hasQuota,
  noQuota,
  requireRoom,
  storedBytes,
  type ServerQuota,
  type ServerUsage,
} from "../../../core/server-quota.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import { computed, type Query } from "../../sql/query.ts";
import { ScheduledRows } from "../../queues/scheduled-rows.ts";
import type { NewScheduledMessage } from "../../scheduled-message-store.ts";
import { ServerReads } from "../account/servers.ts";
import { queryRunner, sqliteDialect } from "../connection/dialect.ts";

/** SQL expression over a row `c` of `content`: the size that `storedBytes` returns. */
export const contentBytes: string = `(coalesce(c.detail_size, length(c.detail)) + coalesce(c.raw_size, case c.raw_chunk_count
  when 0 then length(c.raw)
  else (select sum(length(r.bytes)) from raw_chunk r where r.number between c.number * 65536 and c.number * 65536 + 65535)
  end, 0))`;

/** Statement that recounts the bytes of every server. */
export const recountBytes: string = `update server set byte_count = coalesce((select sum(${contentBytes})
  from message m join content c on c.number = m.content where m.epoch = server.epoch), 0)
  + coalesce((select sum(a.size) from annotation a join message m on m.epoch = a.epoch and m.id = a.id
    where a.epoch = server.epoch), 0);`;

/** Members of a message that determine the space that it needs. */
type SizedMessage = Parameters<typeof storedBytes>[0] & {
  readonly annotations?: Parameters<typeof annotationBytes>[0];
};

/** Space that the new messages of one call need, by server. Held messages of a server count as if they were stored. */
export class RequiredSpace {
  readonly #fallback: ServerQuota;
  readonly #measureHeld: (server: ServerId) => ServerUsage;
  readonly #required = new Map<ServerId, { readonly position: ServerPosition; messages: number; bytes: number }>();

  constructor(measureHeld: (server: ServerId) => ServerUsage, fallback: ServerQuota = noQuota) {
    this.#measureHeld = measureHeld;
    this.#fallback = fallback;
  }

  add(server: ServerId, position: ServerPosition, message: SizedMessage): void {
    const required = this.#required.get(server) ?? { position, messages: 0, bytes: 0 };
    required.messages += 1;
    required.bytes += storedBytes(message) + annotationBytes(message.annotations);
    this.#required.set(server, required);
  }

  /** Throws `quota_exceeded` for the first server without enough space. */
  requireQuota(): void {
    for (const [server, { position, ...added }] of this.#required) {
      const { receivedCount, sentCount, byteCount, quotaMessages, quotaBytes } = position;
      const own = { messages: quotaMessages, bytes: quotaBytes };
      if (!hasQuota(own, this.#fallback)) continue;
      const held = this.#measureHeld(server);
      const used = { messages: receivedCount + sentCount + held.messages, bytes: byteCount + held.bytes };
      requireRoom(server, { used, added }, { own, fallback: this.#fallback });
    }
  }
}

/** Returns a function that opens {@link RequiredSpace}; `fallback` is the quota of servers without one of their own. */
export function spaceOpener(database: DatabaseSync, fallback?: ServerQuota): () => RequiredSpace {
  const [run, rows] = [queryRunner(database), new ScheduledRows(sqliteDialect)];
  return () => new RequiredSpace((server) => run(rows.measureHeldMessages(server)), fallback);
}

/** Returns a function that throws when servers of held messages do not exist or would exceed their quotas. */
export function bindHeldQuota(
  database: DatabaseSync,
  fallback?: ServerQuota,
): (held: readonly NewScheduledMessage[]) => Query<void> {
  const [servers, openSpace] = [new ServerReads(database), spaceOpener(database, fallback)];
  return (held) =>
    computed(() => {
      const required = openSpace();
      for (const message of held) {
        const { server } = decodeMessageId(message.id);
        const position = servers.position(server);
        if (position === undefined) throw new Problem("recipient_unknown");
        required.add(server, position, { raw: message.raw, detail: Buffer.from(message.json) });
      }
      required.requireQuota();
    });
}
