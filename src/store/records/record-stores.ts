/** Stores of the records and queues, over calls of their statements. */
import type { CallbackStore, ProcessedChanges } from "../callback-store.ts";
import type { RemovedTarget } from "../callbacks/target-rows.ts";
import { createScheduledStore } from "../queues/scheduled-rows.ts";
import type { ReparseStore } from "../reparse-store.ts";
import type { MessageStore, Store } from "../store.ts";
import { createAnnotationStore } from "./annotation-rows.ts";
import type { RecordCalls, RecordRows } from "./records.ts";
import { createFaultStore, createScannerStore } from "./rule-stores.ts";
import type { CacheRows } from "./versions.ts";

/** All of a store of callbacks but its queue; removing a target returns its server. */
type CallbackRecords = Omit<CallbackStore, "queue" | "removeTarget"> & {
  removeTarget(id: string): Promise<RemovedTarget | undefined>;
};

/** Receivers of changes of callbacks. */
interface CallbackHooks {
  /** Called after a target was removed. */
  readonly onRemovedTarget?: (removed: RemovedTarget) => void;
  /** Called after changes were processed. */
  readonly onProcessed?: (changes: ProcessedChanges) => void;
}

/** Dependencies of {@link createRecordStores}. */
export interface RecordStoreParts extends CallbackHooks {
  readonly rows: Pick<RecordRows, "faults" | "scanners">;
  readonly cacheRows: CacheRows;
  readonly replaceMessage: ReparseStore["replaceMessage"];
}

/** Parts of a store that are records and queues. */
export type RecordStores = Omit<Store, keyof MessageStore | "check" | "statistics" | "close"> &
  Pick<MessageStore, "emptyServer" | "listChanges"> & {
    /** To be called after a server was removed on this node. */
    readonly onServerRemoved: () => Promise<void>;
  };

/** Creates the stores of the records and queues. */
export function createRecordStores(calls: RecordCalls, parts: RecordStoreParts): RecordStores {
  const { changes, devices, usage, zones, keys, servers, targets, deliveries, ...stores } = calls;
  const { onServerRemoved, ...scanners } = createScannerStore(calls.scanners, parts, stores.scanQueue);
  return {
    ...changes,
    ...devices,
    ...usage,
    ...zones,
    ...keys,
    ...servers,
    annotations: createAnnotationStore(stores.annotations),
    audit: stores.audit,
    callbacks: createCallbackStore({ ...targets, ...deliveries }, stores.deliveryQueue, parts),
    faults: createFaultStore(stores.faults, parts),
    idempotency: stores.idempotency,
    marks: stores.marks,
    outbox: { ...stores.outbox, queue: stores.outboxQueue },
    people: stores.people,
    phoneNumbers: stores.phoneNumbers,
    phrases: stores.phrases,
    providerObjects: stores.providerObjects,
    // Makes no change while no work is due that has died too often.
    quarantine: {
      ...stores.quarantine,
      quarantineDue: async (now) =>
        (await stores.quarantine.hasDue(now)) ? await stores.quarantine.quarantineDue(now) : [],
    },
    reparses: { queue: stores.reparseQueue, replaceMessage: parts.replaceMessage },
    scanners,
    scheduledMessages: createScheduledStore(stores.scheduled, stores.scheduledQueue),
    signIns: stores.signIns,
    teamLimits: stores.teamLimits,
    verifiedAddresses: stores.verifiedAddresses,
    onServerRemoved,
  };
}

/** Creates the store of callbacks. */
function createCallbackStore(
  records: CallbackRecords,
  queue: CallbackStore["queue"],
  { onRemovedTarget, onProcessed }: CallbackHooks,
): CallbackStore {
  return {
    ...records,
    queue,
    removeTarget: async (id) => {
      const removed = await records.removeTarget(id);
      if (removed !== undefined) onRemovedTarget?.(removed);
      return removed !== undefined;
    },
    processChanges: async (changes) => {
      const isMoved = await records.processChanges(changes);
      if (isMoved) onProcessed?.(changes);
      return isMoved;
    },
  };
}
