/** Subscriptions to mailboxes, of the contract of providers. */
import { randomUUID } from "node:crypto";
import { notFound, Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { DeliveryFailure } from "../../egress/delivery-failure.ts";
import { isUuid, uuidOfHash } from "../../providers/formats/uuid.ts";
import type {
  MailboxSubscription,
  MailboxSubscriptions,
  SubscriptionValues,
} from "../../providers/mailbox-subscriptions.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import { factDeliveries, notificationDelivery, readEffect, subscriptionOf } from "../callbacks/mailbox-targets.ts";
import { addTarget, changeTarget, checkSettingsSize, checkTargetUrl } from "../callbacks/open-target.ts";
import { type MailboxSettings, sealTargetSecrets, settingsOf } from "../callbacks/target-settings.ts";
import type { Context } from "../context.ts";
import type { ProviderCaller } from "./provider-session.ts";
import { findCatchAll, resolveRecipient } from "../inbound/resolve-recipient.ts";
import { lastSequence } from "../messages/stream-changes.ts";
import { domainOf } from "../services/sending/new-mail.ts";
import { requireScope } from "../services/security/access.ts";

/** Implements the subscriptions of the contract of providers. */
export function openMailboxSubscriptions(context: Context, caller: ProviderCaller): MailboxSubscriptions {
  const { callbacks } = context.store;
  const opened = (target: CallbackTarget): MailboxSubscription => subscriptionOf(context, target);
  return {
    list: async () => (await listOwn(context, caller)).map(opened),
    get: async (id) => opened(await openOwn(context, caller, id)),
    add: async (user, values) => {
      await admitChange(caller);
      return opened(await add(context, caller, { user, values }));
    },
    change: async (id, values) => {
      await admitChange(caller);
      const target = await openOwn(context, caller, id);
      const changed = await change(context, target, values);
      await planExpiry(context, changed, target);
      return opened(changed);
    },
    remove: async (id) => {
      await admitChange(caller);
      const target = await openOwn(context, caller, id);
      if (!(await callbacks.removeTarget(target.id))) throw notFound("Subscription");
    },
    report: async (id, fact) => {
      await admitChange(caller);
      const target = await openOwn(context, caller, id);
      const sequence = await lastSequence(context, target.server);
      await callbacks.addDeliveries(await factDeliveries(context, [target], { fact, sequence }));
      context.wakeCallbacks();
      if (fact !== "removed") return;
      await change(context, target, { expiresAt: context.clock.now() });
      await callbacks.eraseDelivery(noticeId(target));
    },
    checkUrl: (url) => void checkTargetUrl(context, url),
    send: async (url, request) => {
      await admitChange(caller);
      checkTargetUrl(context, url);
      return sendOnce(context, { url, request, deliveryCount: 1, onResponse: async () => undefined });
    },
  };
}

async function sendOnce(
  { callbackClient }: Context,
  callback: Parameters<Context["callbackClient"]["send"]>[0],
): ReturnType<MailboxSubscriptions["send"]> {
  try {
    const { answer } = await callbackClient.send(callback);
    return answer ?? { refusal: "The response has no content" };
  } catch (error) {
    if (error instanceof DeliveryFailure) return { refusal: error.message };
    throw error;
  }
}

/** Returns whether a target is a subscription in effect that the caller's key made at its provider. */
async function ownership(
  context: Context,
  { principal, provider }: ProviderCaller,
): Promise<(target: CallbackTarget) => boolean> {
  const isInEffect = await readEffect(context);
  return (target) => {
    if (target.kind !== "mailbox" || target.shape !== provider) return false;
    const settings = settingsOf("mailbox", target);
    return settings.key === principal.keyId && isInEffect(settings);
  };
}

async function listOwn(context: Context, caller: ProviderCaller): Promise<readonly CallbackTarget[]> {
  const { callbacks } = context.store;
  const { server: own } = caller.principal;
  const isOwn = await ownership(context, caller);
  const found: CallbackTarget[] = [];
  for (const server of own === null ? await callbacks.listTargetServers() : [own]) {
    found.push(...(await callbacks.listTargets(server, "mailbox")).filter(isOwn));
  }
  return found;
}

async function openOwn(context: Context, caller: ProviderCaller, idText: string): Promise<CallbackTarget> {
  const id = idText.toLowerCase();
  const target = isUuid(id) ? await context.store.callbacks.getTarget(id) : undefined;
  if (target === undefined || !(await ownership(context, caller))(target)) throw notFound("Subscription");
  return target;
}

async function add(
  context: Context,
  caller: ProviderCaller,
  { user, values: { secrets, ...values } }: { readonly user: string | null; readonly values: SubscriptionValues },
): Promise<CallbackTarget> {
  const { server, address } = await openMailboxPlace(context, caller, user);
  const { principal, isKnown, provider: shape } = caller;
  const settings: MailboxSettings = { ...values, address, key: principal.keyId, isKnown };
  checkSettingsSize(settings);
  const id = randomUUID();
  const sealedSecrets = sealTargetSecrets(context, id, { current: secrets, previous: null });
  const target = { id, server, kind: "mailbox", shape, settings, sealedSecrets, state: undefined } as const;
  const added = await addTarget(context, target).catch(async (error: unknown) => {
    const isFull = error instanceof Problem && error.code === "limit_reached";
    if (!isFull || !(await removeSome(context, server))) throw error;
    return addTarget(context, target);
  });
  await planExpiry(context, added, null);
  return added;
}

/** Removes the subscriptions of a server that have ended; false when none has. */
async function removeSome(context: Context, server: ServerId): Promise<boolean> {
  const { callbacks } = context.store;
  const isInEffect = await readEffect(context);
  const targets = await callbacks.listTargets(server, "mailbox");
  const ended = targets.filter((target) => !isInEffect(settingsOf("mailbox", target)));
  for (const { id } of ended) await callbacks.removeTarget(id);
  return ended.length > 0;
}

async function change(
  context: Context,
  target: CallbackTarget,
  { secrets, ...values }: Partial<SubscriptionValues>,
): Promise<CallbackTarget> {
  return changeTarget(context, target, (present) => {
    const settings: MailboxSettings = { ...settingsOf("mailbox", present), ...values };
    checkSettingsSize(settings);
    const sealed = secrets && sealTargetSecrets(context, target.id, { current: secrets, previous: null });
    return { settingsJson: JSON.stringify(settings), ...(sealed !== undefined && { sealedSecrets: sealed }) };
  });
}

/** Longest time before its end at which the owner of a subscription is notified of it. */
const noticeMsMax = 15 * 60_000;

/** Returns the id of the notification that a subscription ends soon. */
function noticeId(target: CallbackTarget): string {
  return uuidOfHash(`${target.id} expiring ${String(settingsOf("mailbox", target).expiresAt)}`);
}

/** Plans the notification that a subscription ends soon, and cancels that of its former end; `before`: its former state. */
async function planExpiry(context: Context, target: CallbackTarget, before: CallbackTarget | null): Promise<void> {
  const { callbacks } = context.store;
  const now = context.clock.now();
  const { expiresAt } = settingsOf("mailbox", target);
  const id = noticeId(target);
  if (before !== null) {
    if (noticeId(before) === id) return;
    await callbacks.eraseDelivery(noticeId(before));
  }
  const dueAt = Math.max(now, expiresAt - Math.min(noticeMsMax, (expiresAt - now) / 2));
  const sequence = await lastSequence(context, target.server);
  const notification = { kind: "expiring", message: null, sequence, at: dueAt } as const;
  const planned = { id, dueAt: Math.round(dueAt) };
  const delivery = await notificationDelivery(context, target, { ...notification, planned });
  if (delivery !== null) await callbacks.addDeliveries([delivery]);
}

/** Mailbox of a user. */
interface MailboxPlace {
  readonly server: ServerId;
  /** Address of the user; `me` at the mail domain of the server for a user without one. */
  readonly address: string;
}

/** Returns the mailbox of a user, as `openMailbox` of the contract of providers names it. Rejects with `not_found`. */
export async function openMailboxPlace(
  context: Context,
  { principal }: Pick<ProviderCaller, "principal">,
  user: string | null,
): Promise<MailboxPlace> {
  const address = user?.includes("@") === true ? user : null;
  const found = address === null ? await findCatchAll(context) : await resolveRecipient(context, address, null);
  const server = principal.server ?? found;
  if (server === undefined || !(await context.store.hasServer(server))) throw notFound("Server");
  return { server, address: address ?? `me@${domainOf(context, server)}` };
}

/**
 * Admits a change of what the engine of callbacks delivers. Rejects with `forbidden` for a key that may only read or send,
 * and with the faults of the request.
 */
export async function admitChange({ isKnown, principal, faults }: ProviderCaller): Promise<void> {
  if (isKnown) requireScope(principal, "manage");
  await faults?.beforeChange();
}
