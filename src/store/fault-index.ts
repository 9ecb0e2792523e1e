import type { FaultOccurrence } from "../core/fault.ts";
import type { ServerId } from "../core/ids.ts";
import { faultSelection, type FaultKeys } from "./fault-store.ts";

/** Index in memory of the stages and client addresses for which rules exist, so that others cost nothing. */
export class FaultIndex {
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
