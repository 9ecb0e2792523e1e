import type { DatabaseSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import {
  annotationBytes,
  hasQuota,
  noQuota,
  requireRoom,
  storedBytes,
  type ServerQuota,
} from "../../../core/server-quota.ts";
import type { ServerPosition } from "../account/servers.ts";
import { HeldReads } from "./held-messages.ts";

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
  readonly #held: Pick<HeldReads, "measure">;
  readonly #required = new Map<ServerId, { readonly position: ServerPosition; messages: number; bytes: number }>();

  constructor(held: Pick<HeldReads, "measure">, fallback: ServerQuota = noQuota) {
    this.#held = held;
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
      const held = this.#held.measure(server);
      const used = { messages: receivedCount + sentCount + held.messages, bytes: byteCount + held.bytes };
      requireRoom(server, { used, added }, { own, fallback: this.#fallback });
    }
  }
}

/** Returns a function that opens {@link RequiredSpace}; `fallback` is the quota of servers without one of their own. */
export function spaceOpener(database: DatabaseSync, fallback?: ServerQuota): () => RequiredSpace {
  const held = new HeldReads(database);
  return () => new RequiredSpace(held, fallback);
}
