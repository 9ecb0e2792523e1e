/** Messages that a request hands to the application as inbound mail. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { type DirectReceiver, encodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import type { CallbackTarget, NewDelivery } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { openMessageId, orNotFound, requireScope } from "../services/security/access.ts";
import { divideSettings, openInboundShape } from "./callback-formats.ts";
import { addRequested } from "./deliveries.ts";
import { readRecipient } from "./emit-events.ts";
import { readCallbackMessage } from "./event-mail.ts";
import { checkTargetUrl, newDelivery } from "./open-target.ts";
import type { HandInboundRequest, ShownDelivery } from "./delivery-schema.ts";
import { planVariants } from "./target-settings.ts";

/** Type of deliveries of inbound mail. */
export const inboundType = "inbound";

/**
 * Queues a mail for the application. Rejects with `not_found`, with `forbidden` when a key that may only send names no route,
 * with `limit_reached`, and with a 400 that names the field.
 */
export async function handInbound(
  context: Context,
  principal: Principal,
  { id: idText, request }: { readonly id: string; readonly request: HandInboundRequest },
): Promise<readonly ShownDelivery[]> {
  // The URL of the request receives the whole message, which a key that may only send must not read.
  if (request.route === undefined) requireScope(principal, "manage");
  const id = openMessageId(principal, idText);
  const message = orNotFound(await readCallbackMessage(context, id), "Message");
  if (message.detail.message.type !== "Email") throw invalidField("id", "Only mail can be handed over");
  const plan = planVariants(request.variants, request.delayMs);
  const recipient = readRecipient(message, request.recipient);
  const { server } = decodeMessageId(id);
  const route = request.route === undefined ? undefined : await openRoute(context, server, request);
  const receiver = route === undefined ? await openReceiver(context, id, request) : undefined;
  const now = context.clock.now();
  const content = { kind: "inbound", message: id, recipient, defect: plan.defect } as const;
  const common = {
    type: inboundType,
    message: id,
    createdAt: now,
    dueAt: now + plan.delayMs,
    attemptsMax: plan.attemptsMax,
  };
  const made = Array.from({ length: plan.copies }, (): NewDelivery => {
    if (route !== undefined) return newDelivery(route, content, common);
    const direct = encodeDeliveryContent({ ...content, ...(receiver !== undefined && { receiver }) });
    const queue = new URL(receiver?.url ?? "http://localhost").origin;
    return { ...newDelivery({ id: "", server }, content, common), target: null, queue, content: direct };
  });
  return addRequested(context, server, made);
}

async function openRoute(
  { store }: Context,
  server: ServerId,
  { route, shape, url, settings }: HandInboundRequest,
): Promise<CallbackTarget> {
  if (shape !== undefined || url !== undefined || settings !== undefined) {
    throw invalidField("route", "Give a route, or shape and url, not both");
  }
  const targets = await store.callbacks.listTargets(server, "inbound");
  const target = targets.find(({ id }) => id === route?.toLowerCase());
  if (target === undefined) throw invalidField("route", "Must be the id of an inbound route of the message's server");
  return target;
}

async function openReceiver(
  context: Context,
  message: MessageId,
  { shape: shapeName, url, settings }: HandInboundRequest,
): Promise<DirectReceiver> {
  const shape = await openInboundShape(shapeName);
  if (shape.confirmation !== undefined) {
    // Each call would make a key pair, and no URL would have the certificate.
    throw invalidField("shape", `${shape.label} needs an inbound route, whose certificate the application can fetch`);
  }
  const checkedUrl = checkTargetUrl(context, url);
  const { options, secrets: given } = divideSettings(shape, settings);
  const { secrets } = await shape.createSecrets(given);
  const sealedSecrets = Buffer.from(context.secrets.seal(JSON.stringify(secrets), message)).toString("base64");
  return { shape: shape.name, url: checkedUrl, options, sealedSecrets };
}
