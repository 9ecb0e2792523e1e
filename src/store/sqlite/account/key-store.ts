import type { KeyStore } from "../../key-store.ts";
import type { ResultCache } from "../messages/result-cache.ts";
import type { WriterCalls } from "../threads/calls.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";

/** Dependencies of {@link createKeyStore}. */
export interface KeyStoreDependencies {
  readonly writer: Thread<WriterCalls>;
  readonly local: LocalReads;
  readonly cache: ResultCache;
}

/** Creates the store of API keys. Every request looks one up, so the keys that were found are cached. */
export function createKeyStore({ writer, local, cache }: KeyStoreDependencies): KeyStore {
  const change = async <Result>(call: Promise<Result>): Promise<Result> => {
    try {
      return await call;
    } finally {
      cache.clearKeys();
    }
  };
  return {
    addKey: async (key) => change(writer.call("addKey", [key])),
    listKeys: async () => local.read(({ keys }) => keys.list()),
    findKey: async (hash) => {
      const cached = local.isOpen ? cache.getKey(hash) : undefined;
      if (cached !== undefined) return cached;
      const key = local.readAccount(({ keys }) => keys.find(hash));
      if (key !== undefined) cache.setKey(hash, key);
      return key;
    },
    removeKey: async (id) => change(writer.call("removeKey", [id])),
    rotateKey: async (id, hash, formerUntil) => change(writer.call("rotateKey", [id, hash, formerUntil])),
    // Cached keys stay: the instant of their last use may lag.
    noteKeyUse: async (id, at) => writer.call("noteKeyUse", [id, at]),
  };
}
