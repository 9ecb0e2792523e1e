import type { Server } from "../../core/server.ts";
import type { Context } from "../context.ts";

/**
 * Removes messages by the retention rules of all servers; returns the number of removed messages. Processes all servers
 * and then rejects with the first error.
 */
export async function applyRetention(context: Context): Promise<number> {
  let removed = 0;
  const servers = await context.store.listServersForMaintenance(context.clock.now());
  const errors: unknown[] = [];
  for (const server of servers) {
    try {
      removed += await expireMessages(context, server);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return removed;
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
