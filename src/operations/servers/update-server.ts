import type { Principal } from "../../core/api-key.ts";
import { checkAll } from "../../core/field-collector.ts";
import type { ServerQuota } from "../../core/server-quota.ts";
import type { Server, ServerChange } from "../../core/server.ts";
import { openServer, orNotFound, requireAccount } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { checkBound, checkServerName } from "./create-server.ts";

/** Request to change one server; absent members stay as they are. */
export interface ServerUpdate {
  readonly id: string;
  readonly change: ServerChange;
}

/**
 * Changes name, users, retention, quota or reader deletion of a server. Rejects with `not_found`, with `forbidden` when the quota is changed without an
 * account key, or with a 400 that names the field. */
export async function updateServer(
  context: Pick<Context, "store">,
  principal: Principal,
  update: ServerUpdate,
): Promise<Server> {
  const server = await openServer(context, principal, update.id);
  checkServerChange(update.change);
  requireQuotaRight(principal, server.quota, update.change.quota ?? {});
  return orNotFound(await context.store.updateServer(server.id, update.change), "Server");
}

/** Throws a 400 that names every wrong field. */
export function checkServerChange({ name, retention, quota }: ServerChange): void {
  checkAll(
    () => (name === undefined ? undefined : checkServerName(name)),
    () => checkBound("retention.ageSecondsMax", retention?.ageSecondsMax),
    () => checkBound("retention.messageCountMax", retention?.messageCountMax),
    () => checkBound("quota.messages", quota?.messages),
    () => checkBound("quota.bytes", quota?.bytes),
  );
}

/** Throws `forbidden` when a restricted key changes the quota; repeating the current one is no change. */
function requireQuotaRight(principal: Principal, present: ServerQuota, wanted: Partial<ServerQuota>): void {
  const { messages = present.messages, bytes = present.bytes } = wanted;
  if (messages !== present.messages || bytes !== present.bytes) requireAccount(principal);
}
