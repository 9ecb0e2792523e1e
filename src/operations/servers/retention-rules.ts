/** Rules that remove messages and servers: retention, time-to-live, and idleness. */
import type { Server } from "../../core/server.ts";
import type { Context } from "../context.ts";
import type { AuditActor } from "../../core/audit-entry.ts";
import type { ServerId } from "../../core/ids.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";

/**
 * Removes messages by the retention rules of all servers; returns the number of removed messages. Processes all servers
 * and then rejects with the first error.
 */
export async function applyRetention(context: Context): Promise<number> {
  let removed = 0;
  await tryAll(await context.store.listServersForMaintenance(context.clock.now()), async (server) => {
    removed += await expireMessages(context, server);
  });
  return removed;
}

/** Acts on all servers and then rejects with the first error. */
async function tryAll<Server>(servers: readonly Server[], act: (server: Server) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for (const server of servers) {
    try {
      await act(server);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Deletes expired servers; returns their number. */
export async function removeExpiredServers(context: Context): Promise<number> {
  let removed = 0;
  const now = context.clock.now();
  for (const server of await context.store.listServersForMaintenance(now)) {
    if (server.expiresAt === null || server.expiresAt > now) continue;
    if (await context.store.deleteServer(server.id)) removed += 1;
  }
  return removed;
}

async function expireMessages(context: Context, server: Server): Promise<number> {
  const { ageSecondsMax, messageCountMax } = server.retention;
  if (ageSecondsMax === null && messageCountMax === null) return 0;
  const receivedBefore = ageSecondsMax === null ? null : context.clock.now() - ageSecondsMax * 1000;
  let removed = 0;
  for (;;) {
    const step = await context.store.expireMessages(server.id, { receivedBefore, keepNewest: messageCountMax });
    removed += step;
    if (step === 0) return removed;
  }
}

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
  await tryAll(await store.listServers(), async (server) => {
    const idleDays = idleDaysOf(server, now);
    if (idleDays < days || server.isProtected || kept.has(server.id)) return;
    if (!(await store.deleteServer(server.id, now - days * dayMs + 1))) return;
    revocations.publish(null);
    onRemoved(server.id, idleDays);
    await audit.record(serviceActor, {
      action: "server.delete",
      target: server.id,
      server: server.id,
      details: { rule: "idle", days: idleDays, messages: server.messages },
    });
  });
}
