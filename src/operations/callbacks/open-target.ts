/** Use cases of targets of all kinds, and the checks that they share. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, type NotFoundKind } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { encodeDeliveryContent, type DeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import type { CallbackTarget, NewDelivery, NewTarget, TargetChange, TargetKind } from "../../store/callback-store.ts";
import { isUuid } from "../../providers/formats/uuid.ts";
import type { Context } from "../context.ts";
import { openServer } from "../services/security/access.ts";
import { targetCountPerServerMax } from "../../core/limits.ts";
import { type ShownKind, showTarget, type ShownTargets } from "./target-schema.ts";
import type { TargetSettings } from "./target-settings.ts";

/** States that a user may give a target. */
export type RequestedState = "active" | "paused";

/** Path of a target: the id of its server, and its own id, or the name of the provider of an event webhook. */
export interface TargetPath<Kind extends ShownKind = ShownKind> {
  readonly kind: Kind;
  readonly server: string;
  readonly target: string;
}

const urlLengthMax = 2000;

/** Returns a target of a server of the principal. Rejects with `not_found`. */
export async function openTarget(
  context: Context,
  principal: Principal,
  { server, target: name, kind }: TargetPath,
): Promise<CallbackTarget> {
  const { id: serverId } = await openServer(context, principal, server);
  const target = kind === "events" ? await findEventTarget(context, serverId, name) : await findById(context, name);
  if (target === undefined || target.server !== serverId || target.kind !== kind) throw notFound(notFoundKinds[kind]);
  return target;
}

async function findById({ store }: Context, text: string): Promise<CallbackTarget | undefined> {
  const id = text.toLowerCase();
  return isUuid(id) ? store.callbacks.getTarget(id) : undefined;
}

/** Returns the event webhook of a provider in a server; undefined without one. */
export async function findEventTarget(
  { store }: Context,
  server: ServerId,
  provider: string,
): Promise<CallbackTarget | undefined> {
  const targets = await store.callbacks.listTargets(server, "events");
  return targets.find(({ shape }) => shape === provider);
}

/** Kinds as error texts name them. */
const notFoundKinds: Readonly<Record<TargetKind, NotFoundKind>> = {
  webhook: "Webhook",
  events: "Event webhook",
  registered: "Event webhook",
  inbound: "Inbound route",
  mailbox: "Subscription",
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
 * Changes a target by its present version, and again when another change was faster; leaves it as it is when `change` returns
 * null. Rejects with `not_found`, and as `change` does.
 */
export async function changeTarget(
  { store, clock }: Context,
  target: CallbackTarget,
  change: (present: CallbackTarget) => TargetChange | null,
): Promise<CallbackTarget> {
  let present: CallbackTarget | undefined = target;
  while (present !== undefined) {
    const { id, version }: CallbackTarget = present;
    const made = change(present);
    if (made === null) return present;
    const updated = await store.callbacks.updateTarget(id, made, { now: clock.now(), version });
    if (updated !== undefined) return updated;
    present = await store.callbacks.getTarget(id);
  }
  throw notFound(notFoundKinds[target.kind]);
}

/** New target, and the state in which it starts. */
interface AddedTarget extends Omit<NewTarget, "settingsJson" | "createdAt"> {
  readonly settings: TargetSettings[TargetKind];
  readonly state: RequestedState | undefined;
}

/** Adds a target. Rejects with `limit_reached`, and with `conflict` when the provider has an event webhook in the server. */
export async function addTarget(
  context: Context,
  { settings, state, ...target }: AddedTarget,
): Promise<CallbackTarget> {
  const stored = { ...target, settingsJson: JSON.stringify(settings), createdAt: context.clock.now() };
  const rules = { countMax: targetCountPerServerMax, isOnly: target.kind === "events" };
  const added = await context.store.callbacks.addTarget(stored, rules);
  context.wakeCallbacks();
  return state === "paused" ? changeTarget(context, added, () => stateChange(state)) : added;
}

/** Size of the settings of a target that the API of a provider makes; the store accepts 16 kB. */
const ownSettingsLengthMax = 15_000;

/** Throws a 400 on `settings` when those that the API of a provider makes are too long. */
export function checkSettingsSize(settings: object): void {
  if (JSON.stringify(settings).length <= ownSettingsLengthMax) return;
  throw invalidField("settings", `At most ${String(ownSettingsLengthMax)} characters of JSON`, "too_long");
}

/** Returns the targets of a kind that a server has, oldest first. Rejects with `not_found`. */
export async function listTargets<Kind extends ShownKind>(
  context: Context,
  principal: Principal,
  { kind, server }: Pick<TargetPath<Kind>, "kind" | "server">,
): Promise<readonly ShownTargets[Kind][]> {
  const { id } = await openServer(context, principal, server);
  const targets = await context.store.callbacks.listTargets(id, kind);
  return targets.map((target) => showTarget(kind, target));
}

/** Returns a target. Rejects with `not_found`. */
export async function getTarget<Kind extends ShownKind>(
  context: Context,
  principal: Principal,
  path: TargetPath<Kind>,
): Promise<ShownTargets[Kind]> {
  return showTarget(path.kind, await openTarget(context, principal, path));
}

/** Removes a target with its deliveries. Rejects with `not_found`. */
export async function deleteTarget(context: Context, principal: Principal, path: TargetPath): Promise<void> {
  const { id } = await openTarget(context, principal, path);
  if (!(await context.store.callbacks.removeTarget(id))) throw notFound(notFoundKinds[path.kind]);
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
