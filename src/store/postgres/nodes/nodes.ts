import { randomUUID } from "node:crypto";
import type { Change } from "../../../core/change.ts";
import type { EventMessage } from "../../../core/events.ts";
import { foldAddress } from "../../../core/fold.ts";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { Contact, Summary } from "../../../core/message.ts";
import type { ChangeEvent, NodeStore, NodeNotification } from "../../node-store.ts";
import { bigintArray, uuidArray } from "../connection/arrays.ts";
import type { Changes } from "../messages/changes.ts";
import type { Database } from "../connection/database.ts";
import type { NodeNotifications } from "./notifications.ts";
import { bytesOf, serverIdOf, serverNumberOf } from "../messages/id-slots.ts";

/** Dependencies of {@link PostgresNodes}. */
export interface NodeParts {
  readonly database: Database;
  readonly changes: Pick<Changes, "list">;
  readonly notifications: NodeNotifications;
}

interface KeysRow {
  readonly id: MessageId;
  readonly summary: string;
  readonly subject: string;
  readonly body: string | null;
}

/** Longer bodies are not read for waiting callers, which then search themselves. */
const bodyBytesMax = 64 * 1024;

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
    const changes = await this.#parts.changes.list(server, sequence, limit);
    if (changes === undefined || changes.length === 0) return changes?.map((change) => eventOf(server, change));
    const messages = await this.#readMessages(server, changes);
    return changes.map((change) => eventOf(server, change, messages.get(change.id)));
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
    for (const table of ["outbox", "scheduled_email", "callback_delivery", "scan"]) {
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

  /** Returns messages by id; deleted ones are left out, because no caller waits for them. */
  async #readMessages(
    server: ServerId,
    changes: readonly Change[],
  ): Promise<ReadonlyMap<MessageId | null, EventMessage>> {
    const ids = changes.filter(({ kind }) => kind === "received" || kind === "sent").flatMap(({ id }) => id ?? []);
    if (ids.length === 0) return new Map();
    const rows = await this.#parts.database.query<KeysRow>(
      `select id, summary, subject, case when octet_length(body) <= ${bodyBytesMax} then body end as body from message
       where server_id = $1 and epoch = (select epoch from server where server_id = $1) and slot = any($2::uuid[])`,
      [serverNumberOf(server), uuidArray(ids.map((id) => bytesOf(id).slot))],
    );
    return new Map(rows.map((row) => [row.id, messageOf(row)]));
  }
}

function eventOf(server: ServerId, change: Change, message: EventMessage | null = null): ChangeEvent {
  return { server, change, message };
}

/**
 * Returns the search keys of a message. A summary lacks the envelope sender and the labels: callers that wait for them
 * search themselves.
 */
function messageOf({ summary, subject, body }: KeysRow): EventMessage {
  const { to, cc, bcc } = JSON.parse(summary) as Summary;
  const addresses = [...to, ...cc, ...bcc].map(({ email, phone }: Contact) => foldAddress(email ?? phone ?? ""));
  return { from: null, to: addresses, provider: null, tag: null, providerId: null, subject, body };
}
