import type { Principal } from "../core/api-key.ts";
import { invalidField } from "../core/errors.ts";
import { checkAll } from "../core/field-collector.ts";
import type { Server, ServerChange } from "../core/server.ts";
import { openServer, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";
import { checkServerName } from "./create-server.ts";

/** A request to change one server; absent members stay as they are. */
export interface ServerUpdate {
  readonly id: string;
  readonly change: ServerChange;
}

/** Changes name, users or retention. Rejects with `not_found` or a 400 that names the field. */
export async function updateServer(
  context: Pick<Context, "store">,
  principal: Principal,
  update: ServerUpdate,
): Promise<Server> {
  const server = await openServer(context, principal, update.id);
  const { name, retention } = update.change;
  checkAll(
    () => (name === undefined ? undefined : checkServerName(name)),
    () => checkBound("retention.ageSecondsMax", retention?.ageSecondsMax),
    () => checkBound("retention.messageCountMax", retention?.messageCountMax),
  );
  return orNotFound(await context.store.updateServer(server.id, update.change), "Server");
}

function checkBound(field: string, value: number | null | undefined): void {
  if (value === undefined || value === null) return;
  if (!Number.isSafeInteger(value) || value < 1) throw invalidField(field, "A whole number of at least 1, or null");
}
