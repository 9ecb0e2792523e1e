/** Inbound routes: which mail is handed to the application, where, and in which format. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { targetCountPerServerMax } from "../../core/limits.ts";
import type { CallbackSecrets } from "../../providers/callbacks.ts";
import type { Context } from "../context.ts";
import { openServer } from "../services/security/access.ts";
import { isCatchAllOf } from "../inbound/resolve-recipient.ts";
import { isOfOtherServer, readPattern } from "./subscriptions.ts";
import { openInboundShape } from "./callback-formats.ts";
import { changeTarget, openTarget, removeTarget, stateChange } from "./open-target.ts";
import type { TargetPath } from "./open-target.ts";
import { askToConfirm, changeShape, makeShape, rotateShape, type ShapedChange } from "./shaped-target.ts";
import { showInboundRoute, type ShownInboundRoute } from "./shown-target.ts";
import type { InboundSettings } from "./target-settings.ts";

/** Fields of a request that changes an inbound route; absent ones stay as they are. */
export interface InboundRouteChange extends ShapedChange {
  readonly pattern?: string;
}

/** Fields of a new inbound route; pattern, shape and URL are required. */
export interface InboundRouteRequest extends InboundRouteChange {
  readonly shape?: string;
}

/** Returns the inbound routes of a server, oldest first. Rejects with `not_found`. */
export async function listInboundRoutes(
  context: Context,
  principal: Principal,
  serverText: string,
): Promise<readonly ShownInboundRoute[]> {
  const { id: server } = await openServer(context, principal, serverText);
  const targets = await context.store.callbacks.listTargets(server, "inbound");
  return targets.map((target) => showInboundRoute(target));
}

/** Returns an inbound route. Rejects with `not_found`. */
export async function getInboundRoute(
  context: Context,
  principal: Principal,
  path: TargetPath,
): Promise<ShownInboundRoute> {
  return showInboundRoute(await openTarget(context, principal, { ...path, kind: "inbound" }));
}

/** Creates an inbound route. Rejects with `not_found`, `limit_reached`, and with a 400 that names the field. */
export async function createInboundRoute(
  context: Context,
  principal: Principal,
  { server: serverText, request }: { readonly server: string; readonly request: InboundRouteRequest },
): Promise<ShownInboundRoute> {
  const { id: server } = await openServer(context, principal, serverText);
  const { shape: shapeName, pattern, state, ...change } = request;
  const format = await openInboundShape(shapeName);
  const checkedPattern = await checkPattern(context, server, pattern);
  const id = randomUUID();
  const { sealedSecrets, secret, ...shape } = await makeShape(context, format, {
    id,
    change: { ...change, ...(state !== undefined && { state }) },
  });
  const settings: InboundSettings = { ...shape, pattern: checkedPattern };
  const added = await context.store.callbacks.addTarget(
    {
      id,
      server,
      kind: "inbound",
      shape: format.name,
      settingsJson: JSON.stringify(settings),
      sealedSecrets,
      createdAt: context.clock.now(),
    },
    { countMax: targetCountPerServerMax, isOnly: false },
  );
  context.wakeCallbacks();
  const target = state === "paused" ? await changeTarget(context, added, () => stateChange(state)) : added;
  return showInboundRoute(await askToConfirm(context, target, null), secret);
}

/** Changes an inbound route. Rejects with `not_found`, and with a 400 that names the field. */
export async function updateInboundRoute(
  context: Context,
  principal: Principal,
  { change: { pattern, ...change }, ...path }: TargetPath & { readonly change: InboundRouteChange },
): Promise<ShownInboundRoute> {
  const present = await openTarget(context, principal, { ...path, kind: "inbound" });
  const format = await openInboundShape(present.shape);
  const own: Partial<InboundSettings> =
    pattern === undefined ? {} : { pattern: await checkPattern(context, present.server, pattern) };
  const { target, secret } = await changeShape<InboundSettings>(
    context,
    { target: present, format },
    { ...change, own },
  );
  return showInboundRoute(target, secret);
}

/**
 * Returns a pattern of addresses whose mail the server can hand over. Throws a 400 on `pattern` when it is malformed, or
 * when another server receives their mail, whether that exists or not.
 */
async function checkPattern(context: Context, server: ServerId, pattern: string | undefined): Promise<string> {
  const checked = readPattern(pattern);
  const { mailDomain } = context.settings;
  const isReceived = checked.endsWith(`@${mailDomain}`)
    ? await isCatchAllOf(context, server)
    : !isOfOtherServer(checked, { server, mailDomain });
  if (isReceived) return checked;
  const text = `This server does not receive mail to ${checked.slice(checked.lastIndexOf("@") + 1)}; add the route to the server that does`;
  throw invalidField("pattern", text);
}

/** Removes an inbound route with its deliveries. Rejects with `not_found`. */
export async function deleteInboundRoute(context: Context, principal: Principal, path: TargetPath): Promise<void> {
  await removeTarget(context, await openTarget(context, principal, { ...path, kind: "inbound" }));
}

/** Replaces the secrets of an inbound route. Rejects with `not_found`, and with a 400 on `settings`. */
export async function rotateInboundSecret(
  context: Context,
  principal: Principal,
  { settings, ...path }: TargetPath & { readonly settings?: CallbackSecrets | undefined },
): Promise<ShownInboundRoute> {
  const present = await openTarget(context, principal, { ...path, kind: "inbound" });
  const format = await openInboundShape(present.shape);
  const { target, secret } = await rotateShape(context, { target: present, format }, settings);
  return showInboundRoute(target, secret);
}
