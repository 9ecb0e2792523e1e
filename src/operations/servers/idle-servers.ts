/** Servers without traffic, and the rule that removes them. */
import type { AuditActor } from "../../core/audit-entry.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Server } from "../../core/server.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";

const dayMs = 86_400_000;

/** Actor of audit entries of rules of the service. */
const serviceActor: AuditActor = { by: "service", key: null, name: null, clientAddress: null };

/** Returns the whole days since the last traffic of a server. */
export function idleDaysOf({ trafficAt }: Pick<Server, "trafficAt">, now: number): number {
  return Math.max(0, Math.floor((now - trafficAt) / dayMs));
}

/** Returns the ids of servers that the rule never removes, whether or not they are protected: the catch-all and configured ones. */
export async function findKeptServers(context: Context): Promise<ReadonlySet<ServerId>> {
  const catchAll = await findCatchAll(context);
  return new Set([...context.settings.configuredServers, ...(catchAll === undefined ? [] : [catchAll])]);
}

/**
 * Removes the servers that had no traffic for `idleServerDays`, except for protected and kept ones and those with messages that
 * arrive later, each with an entry of the audit log; calls `onRemoved` after each. Removes nothing without the setting. Tries
 * all servers and then rejects with the first error.
 */
export async function removeIdleServers(
  context: Context,
  onRemoved: (server: ServerId, idleDays: number) => void,
): Promise<void> {
  const { store, clock, settings, audit, revocations } = context;
  const { idleServerDays: days } = settings;
  if (days === null) return;
  const now = clock.now();
  const kept = await findKeptServers(context);
  const errors: unknown[] = [];
  for (const server of await store.listServers()) {
    const idleDays = idleDaysOf(server, now);
    if (idleDays < days || server.isProtected || kept.has(server.id)) continue;
    try {
      if (!(await store.deleteServer(server.id, now - days * dayMs + 1))) continue;
      revocations.publish(null);
      onRemoved(server.id, idleDays);
      await audit.record(serviceActor, {
        action: "server.delete",
        target: server.id,
        server: server.id,
        details: { rule: "idle", days: idleDays, messages: server.messages },
      });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
