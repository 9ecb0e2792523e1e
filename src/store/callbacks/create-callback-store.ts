import type { CallbackStore, ProcessedChanges } from "../callback-store.ts";
import type { RemovedTarget } from "./target-rows.ts";

/** All of a store of callbacks but its queue; removing a target returns its server. */
export type CallbackRecords = Omit<CallbackStore, "queue" | "removeTarget"> & {
  removeTarget(id: string): Promise<RemovedTarget | undefined>;
};

/** Dependencies of {@link createCallbackStore}. */
export interface CallbackStoreDependencies {
  readonly records: CallbackRecords;
  readonly queue: CallbackStore["queue"];
  /** Called after a target was removed, and after changes were processed. */
  readonly onRemoved?: (removed: RemovedTarget) => void;
  readonly onProcessed?: (changes: ProcessedChanges) => void;
}

/** Creates the store of callbacks. */
export function createCallbackStore(dependencies: CallbackStoreDependencies): CallbackStore {
  const { records, queue, onRemoved, onProcessed } = dependencies;
  return {
    ...records,
    queue,
    removeTarget: async (id) => {
      const removed = await records.removeTarget(id);
      if (removed !== undefined) onRemoved?.(removed);
      return removed !== undefined;
    },
    processChanges: async (changes) => {
      const isMoved = await records.processChanges(changes);
      if (isMoved) onProcessed?.(changes);
      return isMoved;
    },
  };
}
