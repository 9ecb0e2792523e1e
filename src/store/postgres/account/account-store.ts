import type { ServerId } from "../../../core/ids.ts";
import { noQuota, type ServerQuota } from "../../../core/server.ts";
import { entryColumns } from "../../queues/outbox-rows.ts";
import type { CallbackStore } from "../../callback-store.ts";
import { createCallbackStore } from "../../callbacks/create-callback-store.ts";
import type { RecordStores } from "../../records/records.ts";
import type { Store } from "../../store.ts";
import { runOn } from "../connection/dialect.ts";
import type { Changes } from "../messages/changes.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { openQueue, openScheduled } from "../queues/postgres-queues.ts";
import { createFaultStore, createScannerStore } from "../../records/rule-stores.ts";
import { cacheRowsOf } from "../nodes/versioned-rows.ts";
import { createServerStore, type ServerStoreDependencies } from "./server-store.ts";
import { openRecords, recordRows } from "./records.ts";

/** Parts of the store that belong to the account, its servers, outbound messages and rules of mail that arrives, and the quarantine. */
export type AccountParts = Omit<
  ReturnType<typeof openRecords>,
  "account" | "callbacks" | "faults" | "keys" | "outbox" | "scanners" | "servers"
> &
  ReturnType<typeof openRecords>["account"] &
  ReturnType<typeof openRecords>["keys"] &
  ReturnType<typeof openRecords>["servers"] &
  Pick<Store, "callbacks" | "faults" | "outbox" | "scanners" | "scheduledMessages">;

/** Dependencies of {@link createAccountStore}. */
export interface AccountDependencies extends ServerStoreDependencies {
  readonly changes: Pick<Changes, "notice" | "isOverlong">;
  /** Called when deliveries of a removed target wait for their purge, or a journal for being trimmed. */
  readonly onMaintenanceDue: () => void;
  /** Quota of servers without one of their own. */
  readonly quota?: ServerQuota | undefined;
  /** Called after each change of marks of a server, with its number. */
  readonly onMarked: (server: ServerId, sequence: number) => void;
}

/** Creates these parts. */
export function createAccountStore(dependencies: AccountDependencies): AccountParts {
  const { database, clock, quota = noQuota, onMarked } = dependencies;
  const { keys, account, callbacks, outbox, faults, scanners, servers, ...records } = openRecords(database);
  const rules = { rows: recordRows, records: { faults, scanners }, cacheRows: cacheRowsOf(database, clock) };
  const { outbox: rows } = recordRows;
  return {
    ...keys,
    ...account,
    ...records,
    ...createServerStore(servers, dependencies),
    marks: {
      ...records.marks,
      changeMarks: async (server, ids, change) => {
        const outcome = await records.marks.changeMarks(server, ids, change);
        if (outcome.sequence !== undefined) onMarked(server, outcome.sequence);
        return outcome;
      },
    },
    callbacks: openCallbacks(callbacks, dependencies),
    faults: createFaultStore(rules),
    scanners: createScannerStore(rules, openQueue(database, "scans")),
    outbox: {
      ...outbox,
      queue: openQueue(database, "outbox", {
        columns: entryColumns,
        toItem: rows.toEntry.bind(rows),
        record: async (session, outcomes) => await runOn(session, rows.recordAttempts(outcomes)),
      }),
    },
    scheduledMessages: openScheduled(database, quota),
  };
}

function openCallbacks(
  records: RecordStores["callbacks"],
  { database, changes, onMaintenanceDue }: AccountDependencies,
): CallbackStore {
  const { deliveries: rows } = recordRows;
  return createCallbackStore({
    records,
    queue: openQueue(database, "deliveries", {
      columns: rows.columns,
      toItem: rows.toDelivery.bind(rows),
      record: async (session, outcomes) => await runOn(session, rows.recordOutcomes(outcomes)),
    }),
    onRemoved: ({ server, sequence }) => {
      if (sequence !== null) changes.notice(serverNumberOf(server), { before: 0, after: sequence });
      onMaintenanceDue();
    },
    onProcessed: ({ server, from, to }) => {
      changes.notice(serverNumberOf(server), { before: from, after: to });
      if (changes.isOverlong) onMaintenanceDue();
    },
  });
}
