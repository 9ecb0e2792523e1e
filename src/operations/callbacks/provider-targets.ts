/** Event webhooks of providers and inbound routes: create, change, replace the secrets. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type { ValueOf } from "../../core/schema.ts";
import type { CallbackSecrets } from "../../providers/callbacks.ts";
import type { Context } from "../context.ts";
import { isCatchAllOf } from "../inbound/resolve-recipient.ts";
import { openServer } from "../services/security/access.ts";
import { type CallbackFormat, openEventWebhooks, openInboundShape } from "./callback-formats.ts";
import { addTarget, findEventTarget, openTarget, type TargetPath } from "./open-target.ts";
import { askToConfirm, changeShape, type ChangedShape, makeShape, rotateShape } from "./shaped-target.ts";
import {
  type eventWebhookRequestSchema,
  type inboundRouteChangeSchema,
  type inboundRouteRequestSchema,
  readPattern,
  type ShapedChange,
  showTarget,
  type ShownTargets,
} from "./target-schema.ts";
import type { EventSettings, InboundSettings, ShapedSettings, TargetSettings } from "./target-settings.ts";

/** Kinds of targets in the format of a provider. */
type ShapedKind = "events" | "registered" | "inbound";

/**
 * Creates or changes the event webhook of a provider. Rejects with `not_found`, with `conflict` when another request creates
 * it, and with a 400 that names the field.
 */
export async function putEventWebhook(
  context: Context,
  principal: Principal,
  {
    request,
    server: serverText,
    target: provider,
  }: TargetPath<"events"> & { readonly request: ValueOf<typeof eventWebhookRequestSchema> },
): Promise<ShownTargets["events"]> {
  const { id: server } = await openServer(context, principal, serverText);
  const format = await openEventWebhooks(provider);
  const { types } = format;
  const { events, ...change } = request;
  const unknown = events?.find((one) => !types.includes(one));
  if (unknown !== undefined) {
    throw invalidField("events", `The provider has no event ${unknown}; it has ${types.join(", ")}`);
  }
  const target = await findEventTarget(context, server, provider);
  if (target !== undefined) {
    const own = events === undefined ? {} : { events: [...new Set(events)] };
    const { target: changed, secret } = await changeShape<EventSettings>(
      context,
      { target, format },
      { ...change, own },
    );
    return showTarget("events", changed, secret);
  }
  const place = { kind: "events", server, shape: provider, format } as const;
  const own = { events: [...new Set(events ?? types)] };
  const { target: added, secret } = await createShaped(context, place, { ...change, own });
  return showTarget("events", added, secret);
}

/** Creates an inbound route. Rejects with `not_found`, `limit_reached`, and with a 400 that names the field. */
export async function createInboundRoute(
  context: Context,
  principal: Principal,
  {
    server: serverText,
    request,
  }: { readonly server: string; readonly request: ValueOf<typeof inboundRouteRequestSchema> },
): Promise<ShownTargets["inbound"]> {
  const { id: server } = await openServer(context, principal, serverText);
  const { shape, pattern, ...change } = request;
  const format = await openInboundShape(shape);
  const own = { pattern: await checkPattern(context, server, pattern) };
  const place = { kind: "inbound", server, shape: format.name, format } as const;
  const { target, secret } = await createShaped(context, place, { ...change, own });
  return showTarget("inbound", target, secret);
}

/** Changes an inbound route. Rejects with `not_found`, and with a 400 that names the field. */
export async function updateInboundRoute(
  context: Context,
  principal: Principal,
  {
    change: { pattern, ...change },
    ...path
  }: TargetPath<"inbound"> & { readonly change: ValueOf<typeof inboundRouteChangeSchema> },
): Promise<ShownTargets["inbound"]> {
  const target = await openTarget(context, principal, path);
  const format = await openInboundShape(target.shape);
  const own = pattern === undefined ? {} : { pattern: await checkPattern(context, target.server, pattern) };
  const { target: changed, secret } = await changeShape<InboundSettings>(
    context,
    { target, format },
    { ...change, own },
  );
  return showTarget("inbound", changed, secret);
}

/** Replaces the secrets of a target. Rejects with `not_found`, and with a 400 on `settings`. */
export async function rotateSecrets<Kind extends Exclude<ShapedKind, "registered">>(
  context: Context,
  principal: Principal,
  { settings, ...path }: TargetPath<Kind> & { readonly settings?: CallbackSecrets | undefined },
): Promise<ShownTargets[Kind]> {
  const present = await openTarget(context, principal, path);
  const { kind, shape } = present;
  const format = await (kind === "events" ? openEventWebhooks(shape) : openInboundShape(shape));
  const { target, secret } = await rotateShape(context, { target: present, format }, settings);
  return showTarget(path.kind, target, secret);
}

/** Place and format of a new target. */
interface Place<Kind extends ShapedKind> {
  readonly kind: Kind;
  readonly server: ServerId;
  readonly shape: string;
  readonly format: CallbackFormat;
}

/** Members of the settings that only one kind has, and those of targets that were registered. */
export type OwnSettings<Kind extends ShapedKind> = Omit<
  TargetSettings[Kind],
  Exclude<keyof ShapedSettings, "facts" | "isKnown">
>;

/** Creates a target in the format of a provider. Rejects with `limit_reached`, and with a 400 that names the field. */
export async function createShaped<Kind extends ShapedKind>(
  context: Context,
  { format, ...place }: Place<Kind>,
  { own, ...change }: ShapedChange & { readonly own: OwnSettings<Kind> },
): Promise<ChangedShape> {
  const id = randomUUID();
  const { sealedSecrets, secret, ...shaped } = await makeShape(context, format, { id, change });
  const settings = { ...shaped, ...own } as unknown as TargetSettings[Kind];
  const added = await addTarget(context, { id, ...place, settings, sealedSecrets, state: change.state });
  return { target: await askToConfirm(context, added, null), secret };
}

/**
 * Returns a pattern of addresses whose mail the server can hand over. Throws a 400 on `pattern` when it is malformed, or
 * when another server receives their mail, whether that exists or not.
 */
export async function checkPattern(context: Context, server: ServerId, pattern: string | undefined): Promise<string> {
  const checked = readPattern(pattern);
  const { mailDomain } = context.settings;
  const isReceived = checked.endsWith(`@${mailDomain}`)
    ? await isCatchAllOf(context, server)
    : !isOfOtherServer(checked, { server, mailDomain });
  if (isReceived) return checked;
  const text = `This server does not receive mail to ${checked.slice(checked.lastIndexOf("@") + 1)}; add the route to the server that does`;
  throw invalidField("pattern", text);
}

/**
 * Returns whether the domain of a pattern is that of another server of the service, which may exist or not: a server id
 * before the mail domain.
 */
function isOfOtherServer(
  pattern: string,
  { server, mailDomain }: { readonly server: ServerId; readonly mailDomain: string },
): boolean {
  const domain = pattern.slice(pattern.lastIndexOf("@") + 1);
  return domain.endsWith(`.${mailDomain}`) && domain.split(".", 1)[0] !== server;
}
