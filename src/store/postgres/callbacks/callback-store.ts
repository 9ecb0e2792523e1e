import type { MessageId, ServerId } from "../../../core/ids.ts";
import type { DeliveryState } from "../../outbox-store.ts";
import { combineMessageDeliveries, eraseAttemptHeaders } from "../../callback-attempts.ts";
import type { CallbackStore, DeliveryFilter, ProcessedChanges, StoredDelivery } from "../../callback-store.ts";
import { claims } from "../../queues/leased-tables.ts";
import type { Database } from "../connection/database.ts";
import { toText } from "../connection/text.ts";
import type { Changes } from "../messages/changes.ts";
import { openQueue } from "../queues/postgres-queues.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import type { DeliveryInserts } from "./delivery-inserts.ts";
import { recordAttempts } from "./delivery-outcomes.ts";
import { deliveryColumns, filterConditions, isVisible, toDelivery, type DeliveryRow } from "./delivery-rows.ts";
import { listReports, removeReports } from "./pending-reports.ts";
import { CallbackTargets } from "./targets.ts";

/** Dependencies of {@link createCallbackStore}. */
export interface CallbackStoreDependencies {
  readonly database: Database;
  readonly changes: Pick<Changes, "notice" | "isOverlong">;
  readonly inserts: DeliveryInserts;
  /** Called when deliveries of a removed target wait for their purge, or a journal for being trimmed. */
  readonly onMaintenanceDue: () => void;
}

/** Creates the store of callbacks. */
export function createCallbackStore(dependencies: CallbackStoreDependencies): CallbackStore {
  const { database, changes, inserts, onMaintenanceDue } = dependencies;
  const targets = new CallbackTargets(database);
  const deliveries = new Deliveries(database);
  return {
    addTarget: async (target, rules) => await targets.add(target, rules),
    listTargets: async (server, kind) => await targets.list(server, kind),
    getTarget: async (id) => await targets.get(id),
    updateTarget: async (id, change, at) => await targets.update(id, change, at),
    removeTarget: async (id) => {
      const removed = await targets.remove(id);
      if (removed === undefined) return false;
      if (removed.sequence !== null) changes.notice(removed.server, { before: 0, after: removed.sequence });
      onMaintenanceDue();
      return true;
    },
    listLaggingServers: async (limit, except = []) => await targets.lagging(limit, except),
    listTargetServers: async () => await targets.servers(),
    processChanges: async (processed) => {
      const isMoved = await processChanges({ database, inserts }, processed);
      if (isMoved) changes.notice(serverNumberOf(processed.server), { before: processed.from, after: processed.to });
      if (changes.isOverlong) onMaintenanceDue();
      return isMoved;
    },
    listPendingReports: async (limit) => await listReports(database, limit),
    finishReports: async (finished) =>
      await database.transact(async (session) => {
        await removeReports(session, finished.reports);
        await inserts.add(session, finished.deliveries);
      }),
    addDeliveries: async (added) => {
      if (added.length > 0) await database.transact(async (session) => await inserts.add(session, added));
    },
    queue: openQueue(database, "deliveries", { columns: deliveryColumns, toItem: toDelivery, record: recordAttempts }),
    listDeliveries: async (server, filter, page) => await deliveries.list(server, filter, page),
    getCallbackDelivery: async (id) => await deliveries.get(id),
    replayDeliveries: async (ids, now) => await deliveries.replay(ids, now),
    replayMatching: async (server, filter, at) => await deliveries.replayMatching(server, filter, at),
    eraseDelivery: async (id) => await deliveries.erase(id),
    removeDeliveries: async (before, limit) => await deliveries.remove(before, limit),
    getMessageDelivery: async (message) => await deliveries.ofMessage(message),
  };
}

/** Moves the cursor first: its lock serialises nodes that process the same changes. */
async function processChanges(
  { database, inserts }: Pick<CallbackStoreDependencies, "database" | "inserts">,
  { server, from, to, deliveries }: ProcessedChanges,
): Promise<boolean> {
  return await database.transact(async (session) => {
    const moved = await session.query(
      "update callback_cursor set sequence = $3 where server_id = $1 and sequence = $2 returning 1",
      [serverNumberOf(server), from, to],
    );
    if (moved.length === 0) return false;
    await inserts.add(session, deliveries);
    return true;
  });
}

const isReplayable =
  "due_at is null and content is not null and (not delivers_message or message is null or is_message_stored)";
const replay = `update callback_delivery set status = 'Pending', schedule_step = 0, ${claims.ended}, due_at =`;

/** Stored deliveries: lists, replays, removal. */
class Deliveries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async get(id: string): Promise<StoredDelivery | undefined> {
    const [row] = await this.#database.query<DeliveryRow>(
      `select ${deliveryColumns} from callback_delivery where id = $1 and ${isVisible}`,
      [toText(id)],
    );
    return row === undefined ? undefined : toDelivery(row);
  }

  async list(
    server: ServerId,
    filter: DeliveryFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly StoredDelivery[]> {
    const { condition, parameters } = filterConditions(server, filter);
    const rows = await this.#database.query<DeliveryRow>(
      `select ${deliveryColumns} from callback_delivery where ${condition}
       order by number desc limit $${parameters.length + 1} offset $${parameters.length + 2}`,
      [...parameters, limit, offset],
    );
    return rows.map(toDelivery);
  }

  async ofMessage(message: MessageId): Promise<DeliveryState | undefined> {
    const rows = await this.#database.query<DeliveryRow>(
      `select ${deliveryColumns} from callback_delivery where message = $1 and delivers_message and ${isVisible}
       order by number`,
      [message],
    );
    return combineMessageDeliveries(rows.map(toDelivery));
  }

  async replay(ids: readonly string[], now: number): Promise<number> {
    const rows = await this.#database.query(
      `${replay} $2 where id = any($1::text[]) and ${isReplayable} and ${isVisible} returning 1`,
      [ids.map(toText), now],
    );
    return rows.length;
  }

  async replayMatching(
    server: ServerId,
    filter: DeliveryFilter,
    { now, limit }: { readonly now: number; readonly limit: number },
  ): Promise<number> {
    const { condition, parameters } = filterConditions(server, filter);
    const [nowAt, limitAt] = [parameters.length + 1, parameters.length + 2];
    const rows = await this.#database.query(
      `${replay} $${nowAt} where id in (
         select id from callback_delivery where ${condition} and ${isReplayable} order by number limit $${limitAt})
       and ${isReplayable} returning 1`,
      [...parameters, now, limit],
    );
    return rows.length;
  }

  async erase(id: string): Promise<boolean> {
    return await this.#database.transact(async (session) => {
      const [row] = await session.query<{ attempts: readonly string[] }>(
        `select attempts from callback_delivery where id = $1 and ${isVisible} for update`,
        [toText(id)],
      );
      if (row === undefined) return false;
      await session.query(
        `update callback_delivery set content = null, attempts = $2::text[], lease = null, due_at = null, ${claims.ended},
           status = case when status in ('Pending', 'Quarantined') then 'Cancelled' else status end where id = $1`,
        [toText(id), row.attempts.map(eraseAttemptHeaders)],
      );
      return true;
    });
  }

  async remove(before: number, limit: number): Promise<number> {
    const rows = await this.#database.query(
      // The array is computed once. PostgreSQL may run a subquery of "in" for each row, and skip the rows already deleted.
      `delete from callback_delivery where id = any(array(
         select id from callback_delivery d where created_at < $1 and not is_message_stored and (due_at is null
           or exists (select 1 from callback_target t where t.id = d.target and t.state <> 'active'))
         order by created_at limit $2 for update of d skip locked)) returning 1`,
      [before, limit],
    );
    return rows.length;
  }
}
