/** Access to targets, and the checks that all kinds share. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, type NotFoundKind } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { encodeDeliveryContent, type DeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import type { CallbackTarget, NewDelivery, TargetChange, TargetKind } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { openServer } from "../services/security/access.ts";

/** States that a user may give a target. */
export type RequestedState = "active" | "paused";

/** Path of a target: the id of its server, and its own id or the name of its provider. */
export interface TargetPath {
  readonly server: string;
  readonly target: string;
}

const urlLengthMax = 2000;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a target of a server of the principal. Rejects with `not_found`. */
export async function openTarget(
  context: Context,
  principal: Principal,
  { server, target: idText, kind }: TargetPath & { readonly kind: TargetKind },
): Promise<CallbackTarget> {
  const { id: serverId } = await openServer(context, principal, server);
  const id = idText.toLowerCase();
  const target = uuidPattern.test(id) ? await context.store.callbacks.getTarget(id) : undefined;
  if (target === undefined || target.server !== serverId || target.kind !== kind) throw notFound(notFoundKinds[kind]);
  return target;
}

/** Kinds as error texts name them. */
export const notFoundKinds: Readonly<Record<TargetKind, NotFoundKind>> = {
  webhook: "Webhook",
  events: "Event webhook",
  inbound: "Inbound route",
};

/** Throws a 400 on `url` when it is missing, malformed or not allowed; every attempt checks it again. */
export function checkTargetUrl({ settings }: Context, url: string | undefined): string {
  if (url === undefined) throw invalidField("url", "Give the URL of the application", "required");
  if (url.length > urlLengthMax) throw invalidField("url", `At most ${String(urlLengthMax)} characters`, "too_long");
  const refusal = settings.targets.refuseUrl(url, null);
  if (refusal !== null) throw invalidField("url", refusal);
  return url;
}

/**
 * Changes a target by its present version, and again when another change was faster. Rejects with `not_found`, and as
 * `change` does.
 */
export async function changeTarget(
  { store, clock }: Context,
  target: CallbackTarget,
  change: (present: CallbackTarget) => Promise<TargetChange> | TargetChange,
): Promise<CallbackTarget> {
  let present: CallbackTarget | undefined = target;
  while (present !== undefined) {
    const { id, version }: CallbackTarget = present;
    const made = await change(present);
    const updated = await store.callbacks.updateTarget(id, made, { now: clock.now(), version });
    if (updated !== undefined) return updated;
    present = await store.callbacks.getTarget(id);
  }
  throw notFound(notFoundKinds[target.kind]);
}

/** Removes a target. Rejects with `not_found`. */
export async function removeTarget({ store }: Context, target: CallbackTarget): Promise<void> {
  if (!(await store.callbacks.removeTarget(target.id))) throw notFound(notFoundKinds[target.kind]);
}

/** Returns the change of a requested state; a target that becomes active loses the reason why it was disabled. */
export function stateChange(state: RequestedState | undefined): TargetChange {
  return state === undefined ? {} : { state, stateReason: null };
}

/** Returns a delivery of a target, due at once. */
export function newDelivery(
  { id: target, server }: { readonly id: string; readonly server: ServerId },
  content: DeliveryContent,
  delivery: Pick<NewDelivery, "type" | "createdAt"> & Partial<Omit<NewDelivery, "target" | "server" | "content">>,
): NewDelivery {
  return {
    id: randomUUID(),
    server,
    target,
    queue: target,
    message: null,
    deliversMessage: false,
    content: encodeDeliveryContent(content),
    attemptsMax: null,
    dueAt: delivery.createdAt,
    ...delivery,
  };
}
