import type { CallbackStore, DeliveryFilter, NewDelivery, StoredDelivery } from "../../callback-store.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Thread } from "../threads/thread.ts";
import type { CallbackCalls } from "./delivery-calls.ts";
import type { DeliveryReads, PendingDeliveries } from "./delivery-reads.ts";
import type { ReportReads } from "./pending-reports.ts";
import type { TargetReads } from "./targets.ts";

/** Reads of callbacks that may take long, on the reader thread. */
export interface CallbackReaderCalls {
  listDeliveries(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): readonly StoredDelivery[];
  countPendingDeliveries(): PendingDeliveries;
  /** May visit each queue: 80 ms for 10,000 receivers. */
  listDueQueues(now: number, limit: number): readonly string[];
  nextDeliveryAt(): number | null;
}

/** Short reads, on the thread that holds the sockets. */
export interface CallbackReads {
  readonly targets: TargetReads;
  readonly deliveries: DeliveryReads;
  readonly reports: ReportReads;
}

/** Dependencies of {@link createCallbackStore}. */
export interface CallbackStoreDependencies {
  readonly writer: Thread<CallbackCalls>;
  readonly reader: Thread<CallbackReaderCalls>;
  readonly read: <Result>(body: (reads: CallbackReads) => Result) => Result;
}

/** Creates the store of callbacks. Checks of an empty queue do not start the reader thread, which takes 10 MB. */
export function createCallbackStore({ writer, reader, read }: CallbackStoreDependencies): CallbackStore {
  const isEmpty = (): boolean => read(({ deliveries }) => deliveries.queues.isEmpty());
  return {
    addTarget: async (target, rules) => writer.call("addTarget", [target, rules]),
    listTargets: async (server, kind) => read(({ targets }) => targets.list(server, kind)),
    getTarget: async (id) => read(({ targets }) => targets.get(id)),
    updateTarget: async (id, change, at) => writer.call("updateTarget", [id, change, at]),
    removeTarget: async (id) => writer.call("removeTarget", [id]),
    listLaggingServers: async (limit, except = []) => read(({ targets }) => targets.lagging(limit, except)),
    listTargetServers: async () => read(({ targets }) => targets.servers()),
    processChanges: async ({ deliveries, ...changes }) =>
      writer.call("processChanges", [{ ...changes, deliveries: copyDeliveries(deliveries) }]),
    listPendingReports: async (limit) => read(({ reports }) => reports.list(limit)),
    finishReports: async ({ reports, deliveries }) =>
      writer.call("finishReports", [{ reports, deliveries: copyDeliveries(deliveries) }]),
    addDeliveries: async (deliveries) => writer.call("addDeliveries", [copyDeliveries(deliveries)]),
    listDueQueues: async (now, limit) => (isEmpty() ? [] : reader.call("listDueQueues", [now, limit])),
    claimDeliveries: async (claim) => writer.call("claimDeliveries", [claim]),
    extendDeliveryLeases: async (leases, leaseEndsAt) => writer.call("extendDeliveryLeases", [leases, leaseEndsAt]),
    returnDeliveries: async (leases) => writer.call("returnDeliveries", [leases]),
    recordAttempts: async (outcomes) => writer.call("recordAttempts", [outcomes]),
    nextDeliveryAt: async () => (isEmpty() ? null : reader.call("nextDeliveryAt", [])),
    releaseDeliveryLeases: async (now) => writer.call("releaseDeliveryLeases", [now]),
    boundDeliveryTimes: async (bounds) => writer.call("boundDeliveryTimes", [bounds]),
    listDeliveries: async (server, filter, page) => reader.call("listDeliveries", [server, filter, page]),
    getCallbackDelivery: async (id) => read(({ deliveries }) => deliveries.get(id)),
    replayDeliveries: async (ids, now) => writer.call("replayDeliveries", [ids, now]),
    replayMatching: async (server, filter, at) => writer.call("replayMatching", [server, filter, at]),
    eraseDelivery: async (id) => writer.call("eraseDelivery", [id]),
    removeDeliveries: async (before, limit) => writer.call("removeDeliveries", [before, limit]),
    getMessageDelivery: async (message) => read(({ deliveries }) => deliveries.ofMessage(message)),
    countPending: async () => (isEmpty() ? { count: 0, oldestDueAt: null } : reader.call("countPendingDeliveries", [])),
  };
}

/** Copies contents, which may be parts of larger buffers that would be cloned whole for the writer thread. */
export function copyDeliveries(deliveries: readonly NewDelivery[]): readonly NewDelivery[] {
  return deliveries.map((delivery) => ({ ...delivery, content: new Uint8Array(delivery.content) }));
}
