import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { MessageId, ServerId } from "../../../core/ids.ts";
import { combineMessageDeliveries } from "../../callback-attempts.ts";
import type { DeliveryFilter, StoredDelivery } from "../../callback-store.ts";
import type { DeliveryState } from "../../outbox-store.ts";
import { Statements } from "../connection/connection.ts";
import { deliveryColumns, filterConditions, isVisible, toDelivery, type DeliveryRow } from "./delivery-rows.ts";

/** Number of pending deliveries, and the instant at which the first became due or becomes due; null without any. */
export interface PendingDeliveries {
  readonly count: number;
  readonly oldestDueAt: number | null;
}

/** Walks the queues of pending deliveries by the index, without reading the deliveries of each. */
const queues = `
  with recursive queued (queue) as (
    select * from (select queue from callback_delivery where due_at is not null order by queue limit 1)
    union all
    select (select d.queue from callback_delivery d where d.due_at is not null and d.queue > queued.queue
            order by d.queue limit 1)
    from queued where queued.queue is not null),
  first (queue, due_at) as (
    select queue, (select d.due_at from callback_delivery d where d.queue = queued.queue and d.due_at is not null
                   order by d.due_at limit 1)
    from queued where queue is not null)`;

/** Condition of queues whose deliveries may be sent. */
const isActive = (queue: string): string =>
  `not exists (select 1 from callback_target t where t.id = ${queue} and t.state <> 'active')
   and not exists (select 1 from callback_purge p where p.target = ${queue})`;

/** Queries of deliveries. */
export class DeliveryReads {
  readonly #statements: Statements;
  readonly #get: StatementSync;
  readonly #dueQueues: StatementSync;
  readonly #next: StatementSync;
  readonly #ofMessage: StatementSync;
  readonly #pending: StatementSync;

  constructor(database: DatabaseSync) {
    this.#statements = new Statements(database);
    this.#get = database.prepare(`select ${deliveryColumns} from callback_delivery where id = ? and ${isVisible}`);
    this.#dueQueues = database.prepare(
      `${queues} select queue from first where due_at <= ? and ${isActive("first.queue")} order by due_at, queue limit ?`,
    );
    this.#next = database.prepare(`${queues} select min(due_at) as dueAt from first where ${isActive("first.queue")}`);
    this.#ofMessage = database.prepare(
      `select ${deliveryColumns} from callback_delivery
       where message = ? and delivers_message = 1 and ${isVisible} order by number`,
    );
    this.#pending = database.prepare(
      `select coalesce(sum(count), 0) as count, min(due_at) as oldestDueAt from
         (select queue, count(*) as count, min(due_at) as due_at from callback_delivery
          where due_at is not null group by queue) pending
       where ${isActive("pending.queue")}`,
    );
  }

  get(id: string): StoredDelivery | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toDelivery(row as unknown as DeliveryRow);
  }

  /** Implements `listDeliveries` of the contract. */
  list(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): readonly StoredDelivery[] {
    const { condition, values } = filterConditions(server, filter);
    const statement = this.#statements.get(
      `select ${deliveryColumns} from callback_delivery where ${condition}
       order by number desc limit :limit offset :offset`,
    );
    return statement.all({ ...values, ...page }).map((row) => toDelivery(row as unknown as DeliveryRow));
  }

  dueQueues(now: number, limit: number): readonly string[] {
    return this.#dueQueues.all(now, limit).map(({ queue }) => queue as string);
  }

  nextDueAt(): number | null {
    return this.#next.get()?.["dueAt"] as number | null;
  }

  ofMessage(message: MessageId): DeliveryState | undefined {
    const rows = this.#ofMessage.all(message);
    return combineMessageDeliveries(rows.map((row) => toDelivery(row as unknown as DeliveryRow)));
  }

  /** Counts all pending deliveries by reading their index. */
  pending(): PendingDeliveries {
    return { ...(this.#pending.get() as unknown as PendingDeliveries) };
  }
}
