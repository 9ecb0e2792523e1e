import type { ProviderObjectScope, ProviderObjectStore } from "../../provider-object-store.ts";
import type { LocalReads } from "../threads/local-reads.ts";
import type { Thread } from "../threads/thread.ts";
import type { ProviderObjectCalls, ProviderObjectReads } from "./provider-objects.ts";

/** Scopes that are known to have no objects; more are forgotten. */
const emptyScopeCountMax = 10_000;

/**
 * Creates the store of objects. Some providers look for objects with every mail, and most callers have none, so scopes
 * without objects are cached; only a put can fill them.
 */
export function createProviderObjectStore(writer: Thread<ProviderObjectCalls>, local: LocalReads): ProviderObjectStore {
  const emptyScopes = new Set<string>();
  const read = <Result>(body: (reads: ProviderObjectReads) => Result): Result =>
    local.read(({ providerObjects }) => body(providerObjects));
  return {
    getObject: async (key, now) => read((reads) => reads.get(key, now)),
    listObjects: async (scope, page) => {
      local.requireOpen();
      const name = scopeKey(scope);
      if (emptyScopes.has(name)) return [];
      const objects = read((reads) => reads.list(scope, page));
      if (objects.length === 0 && page.offset === 0) {
        if (emptyScopes.size >= emptyScopeCountMax) emptyScopes.clear();
        emptyScopes.add(name);
      }
      return objects;
    },
    putObject: async (change) => {
      try {
        return await writer.call("putObject", [change]);
      } finally {
        // Not before: a list that was read meanwhile may still have been empty.
        emptyScopes.delete(scopeKey(change));
      }
    },
    removeObject: async (key, now) => writer.call("removeObject", [key, now]),
    removeExpiredObjects: async (now, countMax) => writer.call("removeExpiredObjects", [now, countMax]),
    walkObjects: async (after, limit) => read((reads) => reads.walk(after, limit)),
  };
}

function scopeKey({ server, provider, kind }: ProviderObjectScope): string {
  return `${server ?? ""} ${provider} ${kind}`;
}
