import type { ServerId } from "../../../core/ids.ts";
import { noQuota, type ServerQuota } from "../../../core/server.ts";
import { createRecordStores, type RecordStores } from "../../records/record-stores.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import type { Changes } from "../messages/changes.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { cacheRowsOf } from "../nodes/versioned-rows.ts";
import { openRecords, recordRows } from "./records.ts";
import { createServerStore, type ServerStoreDependencies } from "./server-store.ts";

/** Dependencies of {@link createAccountStore}. */
export interface AccountDependencies extends ServerStoreDependencies {
  readonly changes: Pick<Changes, "notice" | "isOverlong">;
  /** Called when deliveries of a removed target wait for their purge, or a journal for being trimmed. */
  readonly onMaintenanceDue: () => void;
  /** Quota of servers without one of their own. */
  readonly quota?: ServerQuota | undefined;
  /** Called after each change of marks of a server, with its number. */
  readonly onMarked: (server: ServerId, sequence: number) => void;
  readonly replaceMessage: ReparseStore["replaceMessage"];
}

/** Creates the parts of the store that are records and queues. */
export function createAccountStore(dependencies: AccountDependencies): Omit<RecordStores, "onServerRemoved"> {
  const { database, clock, quota = noQuota, changes, replaceMessage, onMaintenanceDue, onMarked } = dependencies;
  const { onServerRemoved: _, ...stores } = createRecordStores(openRecords(database, quota), {
    rows: recordRows,
    cacheRows: cacheRowsOf(database, clock),
    replaceMessage,
    onRemovedTarget: ({ server, sequence }) => {
      if (sequence !== null) changes.notice(serverNumberOf(server), { before: 0, after: sequence });
      onMaintenanceDue();
    },
    onProcessed: ({ server, from, to }) => {
      changes.notice(serverNumberOf(server), { before: from, after: to });
      if (changes.isOverlong) onMaintenanceDue();
    },
  });
  return {
    ...stores,
    ...createServerStore(stores, dependencies),
    marks: {
      ...stores.marks,
      changeMarks: async (server, ids, change) => {
        const outcome = await stores.marks.changeMarks(server, ids, change);
        if (outcome.sequence !== undefined) onMarked(server, outcome.sequence);
        return outcome;
      },
    },
  };
}
