import type { AccountStore } from "../../account-store.ts";
import type { WriterCalls } from "../threads/calls.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";

/** Creates the store of devices, usage and zone files: small tables that need no cache. */
export function createAccountStore(writer: Thread<WriterCalls>, local: LocalReads): AccountStore {
  return {
    addDevice: async (device) => writer.call("addDevice", [device]),
    listDevices: async () => local.read(({ devices }) => devices.list()),
    getDevice: async (id) => local.read(({ devices }) => devices.get(id)),
    removeDevice: async (id) => writer.call("removeDevice", [id]),
    listUsage: async (sinceDay) => local.read(({ usage }) => usage.since(sinceDay)),
    raiseUsage: async (usage) => writer.call("raiseUsage", [usage]),
    putZone: async (server, zone) => writer.call("putZone", [server, zone]),
    getZone: async (server) => local.read(({ zones }) => zones.get(server)),
    removeZone: async (server) => writer.call("removeZone", [server]),
  };
}
