import type { AccountStore } from "../../account-store.ts";
import type { WriterCalls } from "../threads/calls.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";

/** Store of usage and zone files. */
export type UsageAndZones = Pick<AccountStore, "listUsage" | "raiseUsage" | "putZone" | "getZone" | "removeZone">;

/** Creates the store of usage and zone files, which are written with messages and servers. */
export function createAccountStore(writer: Thread<WriterCalls>, local: LocalReads): UsageAndZones {
  return {
    listUsage: async (sinceDay) => local.read(({ usage }) => usage.since(sinceDay)),
    raiseUsage: async (usage) => writer.call("raiseUsage", [usage]),
    putZone: async (server, zone) => writer.call("putZone", [server, zone]),
    getZone: async (server) => local.read(({ zones }) => zones.get(server)),
    removeZone: async (server) => writer.call("removeZone", [server]),
  };
}
