import type { ServerId } from "../../../core/ids.ts";
import { createRecordStores, type RecordStores } from "../../records/record-stores.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { serverNumberOf } from "../messages/id-slots.ts";
import { cacheRowsOf } from "../nodes/versioned-rows.ts";
import type { StoreParts } from "../store-parts.ts";
import { openRecords, recordRows } from "./records.ts";

/** Creates the parts of the store that are records and queues. */
export function createAccountStore(
  parts: StoreParts,
  replaceMessage: ReparseStore["replaceMessage"],
): Omit<RecordStores, "onServerRemoved"> {
  const { gatedDatabase, clock, quota, changes, maintenance } = parts;
  const { onServerRemoved: _, ...stores } = createRecordStores(openRecords(gatedDatabase, quota), {
    rows: recordRows,
    cacheRows: cacheRowsOf(gatedDatabase, clock),
    replaceMessage,
    onRemovedTarget: ({ server, sequence }) => {
      if (sequence !== null) changes.notice(serverNumberOf(server), { before: 0, after: sequence });
      maintenance.wake();
    },
    onProcessed: ({ server, from, to }) => {
      changes.notice(serverNumberOf(server), { before: from, after: to });
      if (changes.isOverlong) maintenance.wake();
    },
  });
  return {
    ...stores,
    ...createServerStore(stores, parts),
    marks: {
      ...stores.marks,
      changeMarks: async (server, ids, change) => {
        const outcome = await stores.marks.changeMarks(server, ids, change);
        if (outcome.sequence !== undefined) changes.noticeOne(server, outcome.sequence);
        return outcome;
      },
    },
  };
}

type Servers = Pick<RecordStores, "hasServer" | "deleteServer" | "emptyServer">;

const cacheMs = 1000;
const seenCountMax = 10_000;

/** Creates the store of servers, which caches for a second that a server exists. */
function createServerStore(servers: Servers, { gate, clock, changes, maintenance }: StoreParts): Servers {
  /** Servers that exist, with the monotonic time at which each entry expires. */
  const seenUntil = new Map<ServerId, number>();
  let removalCount = 0;
  const hasServer = async (id: ServerId): Promise<boolean> => {
    const now = clock.monotonicMs();
    if (now < (seenUntil.get(id) ?? 0)) return true;
    const countBefore = removalCount;
    const isPresent = await servers.hasServer(id);
    if (seenUntil.size >= seenCountMax) seenUntil.clear();
    if (isPresent && countBefore === removalCount) seenUntil.set(id, now + cacheMs);
    return isPresent;
  };
  return {
    hasServer: async (id) => await gate.pass(async () => await hasServer(id)),
    deleteServer: async (id, idleSince) => {
      const wasRemoved = await servers.deleteServer(id, idleSince);
      if (!wasRemoved && idleSince !== undefined) return false;
      removalCount += 1;
      seenUntil.delete(id);
      maintenance.wake();
      return wasRemoved;
    },
    emptyServer: async (id) => {
      const sequence = await servers.emptyServer(id);
      if (sequence === undefined) return undefined;
      changes.noticeOne(id, sequence);
      maintenance.wake();
      return sequence;
    },
  };
}
