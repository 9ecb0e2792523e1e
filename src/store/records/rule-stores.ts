/** Stores of rules for mail that arrives, which every node keeps in memory: fault rules and link scanners. */
import type { FaultOccurrence } from "../../core/fault.ts";
import type { ServerId } from "../../core/ids.ts";
import { type FaultStore, faultSelection, type FaultKeys } from "../fault-store.ts";
import type { ScannerStore } from "../scanner-store.ts";
import type { FaultList, VersionedScanner } from "./rule-rows.ts";
import type { RecordCalls, RecordRows } from "./records.ts";
import type { CachedRows, CacheRows } from "./versions.ts";

/** Dependencies of the stores. */
export interface RuleDependencies {
  readonly rows: Pick<RecordRows, "faults" | "scanners">;
  readonly cacheRows: CacheRows;
}

/** Stages and client addresses for which rules exist, in memory. */
export class FaultLists {
  readonly rows: CachedRows;
  readonly #index = new FaultIndex();

  constructor(rows: Pick<RecordRows["faults"], "listChangedSince">, cacheRows: CacheRows) {
    this.rows = cacheRows<FaultList>({
      name: "The fault rules",
      listChangedSince: (version) => rows.listChangedSince(version),
      apply: ({ server, keys }) => {
        this.#index.set(server, keys);
      },
    });
  }

  /**
   * Whether a rule may apply to an occurrence; a promise when the lists must be read first. While they cannot be read, the
   * lists that were read last decide without a wait, and an occurrence to which a rule may apply rejects with the error of
   * the reading.
   */
  mayApply(occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const failure = this.rows.refresh();
    return failure instanceof Promise
      ? failure.then((later) => this.#mayApplyAfter(later, occurrence))
      : this.#mayApplyAfter(failure, occurrence);
  }

  #mayApplyAfter(failure: Error | null, occurrence: FaultOccurrence): boolean | Promise<boolean> {
    const mayApply = this.#index.mayApply(occurrence);
    return mayApply && failure !== null ? Promise.reject(failure) : mayApply;
  }
}

/** Creates the store of fault rules. */
export function createFaultStore(faults: RecordCalls["faults"], { rows, cacheRows }: RuleDependencies): FaultStore {
  const lists = new FaultLists(rows.faults, cacheRows);
  const decide = async (occurrence: FaultOccurrence, now: number): ReturnType<typeof faults.decideFault> => {
    const owners = await faults.findOwners(occurrence, now);
    return owners.length === 0 ? null : await faults.decideFault(occurrence, now, owners);
  };
  return {
    listFaults: faults.listFaults,
    replaceFaults: async (server, rules, change) => {
      await faults.replaceFaults(server, rules, change);
      await (rules.length > 0 ? lists.rows.readEverywhere() : lists.rows.read());
    },
    decideFault: (occurrence, now) => {
      const mayApply = lists.mayApply(occurrence);
      if (mayApply === false) return null;
      if (mayApply === true) return decide(occurrence, now);
      return mayApply.then((applies) => (applies ? decide(occurrence, now) : null));
    },
  };
}

/** Creates the store of link scanners. `onServerRemoved` is to be called after a server was removed on this node. */
export function createScannerStore(
  records: RecordCalls["scanners"],
  { rows, cacheRows }: RuleDependencies,
  queue: ScannerStore["queue"],
): ScannerStore & { readonly onServerRemoved: () => Promise<void> } {
  const scanners = new Map<ServerId, string>();
  const cached = cacheRows<VersionedScanner>({
    name: "The link scanners",
    listChangedSince: (version) => rows.scanners.listChangedSince(version),
    apply: ({ server, settings }) => {
      if (settings === null) scanners.delete(server);
      else scanners.set(server, settings);
    },
  });
  const find = (server: ServerId): string | null => scanners.get(server) ?? null;
  return {
    queue,
    findScanner: (server) => {
      // While the rows cannot be read, those that were read last decide: mail cannot be stored then either.
      const refreshed = cached.refresh();
      return refreshed instanceof Promise ? refreshed.then(() => find(server)) : find(server);
    },
    setScanner: async (server, settingsJson) => {
      await records.setScanner(server, settingsJson);
      await cached.readEverywhere();
    },
    onServerRemoved: () => cached.read(),
  };
}

/** Index in memory of the stages and client addresses for which rules exist, so that others cost nothing. */
class FaultIndex {
  /** Keys of the rules of each server; null for the service. */
  readonly #keys = new Map<ServerId | null, readonly FaultKeys[]>();
  /** Servers with a rule for a client address. */
  readonly #servers = new Map<string, Set<ServerId | null>>();

  /** Replaces the rules of a server, or of the service. */
  set(server: ServerId | null, keys: readonly FaultKeys[]): void {
    for (const { clientAddress } of this.#keys.get(server) ?? []) this.#removeAddress(server, clientAddress);
    if (keys.length === 0) this.#keys.delete(server);
    else this.#keys.set(server, keys);
    for (const { clientAddress } of keys) {
      if (clientAddress === null) continue;
      const servers = this.#servers.get(clientAddress) ?? new Set();
      this.#servers.set(clientAddress, servers.add(server));
    }
  }

  /** Whether a rule may apply to an occurrence. */
  mayApply(occurrence: FaultOccurrence): boolean {
    if (this.#keys.size === 0) return false;
    const { servers, clientAddress } = faultSelection(occurrence);
    const named = clientAddress === null ? [] : (this.#servers.get(clientAddress) ?? []);
    const stage = `,${occurrence.stage},`;
    return [null, ...servers, ...named].some((server) =>
      this.#keys.get(server)?.some(({ stages }) => stages.includes(stage)),
    );
  }

  #removeAddress(server: ServerId | null, clientAddress: string | null): void {
    if (clientAddress === null) return;
    const servers = this.#servers.get(clientAddress);
    servers?.delete(server);
    if (servers?.size === 0) this.#servers.delete(clientAddress);
  }
}
