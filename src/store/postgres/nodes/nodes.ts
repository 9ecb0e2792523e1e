import { randomUUID } from "node:crypto";
import type { EventMessage } from "../../../core/events.ts";
import { addressKeyOf } from "../../../core/fold.ts";
import type { ServerId } from "../../../core/ids.ts";
import { type Summary, mayBeCut } from "../../../core/message.ts";
import type { ChangeEvent, NodeStore, NodeNotification } from "../../node-store.ts";
import { bigintArray } from "../connection/parameters.ts";
import type { ChangedMessage, Changes } from "../messages/changes.ts";
import { leasedTables } from "../../queues/leased-tables.ts";
import type { Database } from "../connection/database.ts";
import type { NodeNotifications } from "./notifications.ts";
import { serverIdOf, serverNumberOf } from "../messages/id-slots.ts";

/** Dependencies of {@link PostgresNodes}. */
export interface NodeParts {
  readonly database: Database;
  readonly changes: Pick<Changes, "listWithMessages">;
  readonly notifications: NodeNotifications;
}

/** Node of a service on a common database. */
export class PostgresNodes implements NodeStore {
  readonly #parts: NodeParts;
  readonly id: string = randomUUID();

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  notify(notification: NodeNotification): void {
    this.#parts.notifications.notify(notification);
  }

  onNotification(listener: (notification: NodeNotification) => void): void {
    this.#parts.notifications.onNotification(listener);
  }

  async readSequences(servers: readonly ServerId[]): Promise<ReadonlyMap<ServerId, number>> {
    const rows = await this.#parts.database.query<{ server_id: number; sequence: number }>(
      "/* all servers */ select server_id, sequence from server where server_id = any($1::bigint[])",
      [bigintArray(servers.map(serverNumberOf))],
    );
    return new Map(rows.map((row) => [serverIdOf(row.server_id), row.sequence]));
  }

  async readEvents(server: ServerId, sequence: number, limit: number): Promise<readonly ChangeEvent[] | undefined> {
    const changes = await this.#parts.changes.listWithMessages(server, sequence, limit);
    return changes?.map(({ change, message }) => ({
      server,
      change,
      message: message === null ? null : messageOf(message),
    }));
  }

  /** Two statements, because Citus does not support time comparisons in `on conflict`. */
  async hold(task: string, forMs: number): Promise<boolean> {
    const endsAt = "now() + $3::int8 * interval '1 millisecond'";
    const held = await this.#parts.database.query(
      `update lease set holder = $2, ends_at = ${endsAt} where task = $1 and (holder = $2 or ends_at < now())
       returning task`,
      [task, this.id, forMs],
    );
    if (held.length > 0) return true;
    const begun = await this.#parts.database.query(
      `insert into lease (task, holder, ends_at) values ($1, $2, ${endsAt}) on conflict do nothing returning task`,
      [task, this.id, forMs],
    );
    return begun.length > 0;
  }

  async sendHeartbeat(forMs: number): Promise<void> {
    await this.hold(`node/${this.id}`, forMs);
  }

  async releaseLeasesOfDeadNodes(now: number): Promise<number> {
    let count = 0;
    for (const { table } of Object.values(leasedTables)) {
      const ended = await this.#parts.database.query(
        `update ${table} set due_at = $1, lease = null
         where due_at is not null and lease like '%/%'
           and 'node/' || split_part(lease, '/', 1) not in (select task from lease where ends_at > now())
         returning 1 as one`,
        [now],
      );
      count += ended.length;
    }
    return count;
  }

  async release(task: string): Promise<void> {
    await this.#parts.database.query("delete from lease where task = $1 and holder = $2", [task, this.id]);
  }

  async close(): Promise<void> {
    this.#parts.notifications.close();
    // When the database is unreachable, the leases expire.
    await this.#parts.database.query("delete from lease where holder = $1", [this.id]).catch(() => undefined);
  }
}

/**
 * Returns the summary and the search keys of a message. A summary lacks the envelope sender, the labels and most of very many
 * recipients: callers that wait for them search themselves.
 */
function messageOf({ summary, subject, body }: ChangedMessage): EventMessage {
  const { to, cc, bcc } = JSON.parse(summary) as Summary;
  const recipients = [to, cc, bcc].some(mayBeCut) ? null : [...to, ...cc, ...bcc].map(addressKeyOf);
  const summaryJson = Buffer.from(summary);
  return { from: null, to: recipients, provider: null, tag: null, providerId: null, subject, body, summaryJson };
}
