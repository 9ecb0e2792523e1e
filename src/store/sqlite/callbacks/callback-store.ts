import type { CallbackStore, DeliveryFilter, NewDelivery, StoredDelivery } from "../../callback-store.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Thread } from "../threads/thread.ts";
import type { CallbackCalls } from "./delivery-calls.ts";
import type { DeliveryReads } from "./delivery-reads.ts";
import type { ReportReads } from "./pending-reports.ts";
import type { TargetReads } from "./targets.ts";

/** Reads of callbacks that may take long, on the reader thread. */
export interface CallbackReaderCalls {
  listDeliveries(
    server: ServerId,
    filter: DeliveryFilter,
    page: { readonly offset: number; readonly limit: number },
  ): readonly StoredDelivery[];
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
  readonly queue: CallbackStore["queue"];
}

/** Creates the store of callbacks. */
export function createCallbackStore({ writer, reader, read, queue }: CallbackStoreDependencies): CallbackStore {
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
    queue,
    listDeliveries: async (server, filter, page) => reader.call("listDeliveries", [server, filter, page]),
    getCallbackDelivery: async (id) => read(({ deliveries }) => deliveries.get(id)),
    replayDeliveries: async (ids, now) => writer.call("replayDeliveries", [ids, now]),
    replayMatching: async (server, filter, at) => writer.call("replayMatching", [server, filter, at]),
    eraseDelivery: async (id) => writer.call("eraseDelivery", [id]),
    removeDeliveries: async (before, limit) => writer.call("removeDeliveries", [before, limit]),
    getMessageDelivery: async (message) => read(({ deliveries }) => deliveries.ofMessage(message)),
  };
}

/** Copies contents, which may be parts of larger buffers that would be cloned whole for the writer thread. */
export function copyDeliveries(deliveries: readonly NewDelivery[]): readonly NewDelivery[] {
  return deliveries.map((delivery) => ({ ...delivery, content: new Uint8Array(delivery.content) }));
}
