/** Webhooks that applications register by the API of their provider, of the contract of providers. */
import { notFound } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import type {
  EventSelection,
  InboundSelection,
  ProviderWebhooks,
  RegisteredWebhook,
  WebhookAttempt,
  Webhooks,
} from "../../providers/webhooks.ts";
import type { CallbackAttempt, CallbackTarget } from "../../store/callback-store.ts";
import { type CallbackFormat, openEventWebhooks, openInboundShape } from "../callbacks/callback-formats.ts";
import { checkSettingsSize } from "../callbacks/open-target.ts";
import { checkPattern, createShaped } from "../callbacks/provider-targets.ts";
import { changeShape } from "../callbacks/shaped-target.ts";
import { openTargetSecrets, settingsOf, type ShapedSettings } from "../callbacks/target-settings.ts";
import type { Context } from "../context.ts";
import { covers } from "../services/security/access.ts";
import { admitChange, openMailboxPlace } from "./mailbox-subscriptions.ts";
import type { ProviderCaller } from "./provider-session.ts";

/** Selection of webhooks: one of both members, by the kind of their targets. */
type Selection = Partial<EventSelection & InboundSelection>;

/** Kind of webhooks. */
interface Kind {
  readonly name: "registered" | "inbound";
  readonly openFormat: (provider: string) => Promise<CallbackFormat>;
  /** Returns a selection as it is stored; rejects with a 400 that names the field. */
  readonly check: (selection: Selection, context: Context, server: ServerId) => Promise<Selection>;
}

const events: Kind = { name: "registered", openFormat: openEventWebhooks, check: async (selection) => selection };

const inbound: Kind = {
  name: "inbound",
  openFormat: openInboundShape,
  check: async ({ pattern }, context, server) => {
    if (pattern === undefined) return {};
    const at = pattern.lastIndexOf("@");
    await checkPattern(context, server, pattern.slice(0, at).replaceAll("*", "a") + pattern.slice(at));
    return { pattern: pattern.toLowerCase() };
  },
};

/** Implements the webhooks of the contract of providers. */
export function openProviderWebhooks(context: Context, caller: ProviderCaller): ProviderWebhooks {
  return {
    events: webhooksOf(context, caller, events) as Webhooks<EventSelection>,
    inbound: webhooksOf(context, caller, inbound) as Webhooks<InboundSelection>,
  };
}

function webhooksOf(context: Context, caller: ProviderCaller, { name, openFormat, check }: Kind): Webhooks<Selection> {
  const { callbacks } = context.store;
  const { provider, isKnown } = caller;
  const openServer = async (): Promise<ServerId> => (await openMailboxPlace(context, caller, null)).server;
  const listOwn = async (): Promise<readonly CallbackTarget[]> => {
    const targets = await callbacks.listTargets(await openServer(), name);
    return targets.filter((one) => {
      const { isKnown: isOfKnown } = settingsOf(name, one);
      return one.shape === provider && isOfKnown !== undefined && (isKnown || !isOfKnown);
    });
  };
  const openOwn = async (id: string): Promise<CallbackTarget> => {
    const target = (await listOwn()).find((one) => one.id === id);
    if (target === undefined) throw notFound("Event webhook");
    return target;
  };
  const shown = (target: CallbackTarget): RegisteredWebhook<Selection> => shownTo(context, caller, target);
  return {
    list: async () => (await listOwn()).map(shown),
    add: async ({ url, settings, isActive, facts, ...selection }) => {
      await admitChange(caller);
      const server = await openServer();
      const own = { facts, isKnown, ...(await check(selection, context, server)) };
      const place = { kind: name, server, shape: provider, format: await openFormat(provider) };
      checkSettingsSize({ ...own, options: settings });
      const { target } = await createShaped(context, place, { url, settings, state: stateOf(isActive), own });
      return shown(target);
    },
    change: async (id, { url, settings, isActive, facts, ...selection }) => {
      await admitChange(caller);
      const target = await openOwn(id);
      const selected = await check(selection, context, target.server);
      const change = {
        ...(url !== undefined && { url }),
        ...(settings !== undefined && { settings }),
        ...(isActive !== undefined && { state: stateOf(isActive) }),
        own: { ...(facts !== undefined && { facts }), ...selected },
      };
      checkSettingsSize({ ...settingsOf(name, target), ...change.own, ...(settings && { options: settings }) });
      return shown((await changeShape(context, { target, format: await openFormat(provider) }, change)).target);
    },
    remove: async (id) => {
      await admitChange(caller);
      const target = await openOwn(id);
      if (!(await callbacks.removeTarget(target.id))) throw notFound("Event webhook");
    },
    attempts: async (id, since) => {
      const { server } = await openOwn(id);
      const filter = { target: id, message: null, status: null, type: null, since, before: null };
      const deliveries = await callbacks.listDeliveries(server, filter, { offset: 0, limit: attemptedCountMax });
      return deliveries.flatMap(({ attempts }) => attempts).map(attemptOf);
    },
  };
}

/** Deliveries whose attempts one call reads. */
const attemptedCountMax = 1000;

function attemptOf({ startedAt: at, requestHeaders: headers, responseStatus, error }: CallbackAttempt): WebhookAttempt {
  return { at, headers, status: responseStatus, isFailed: error !== null };
}

function stateOf(isActive: boolean): "active" | "paused" {
  return isActive ? "active" : "paused";
}

/** Returns a webhook as far as the caller may know it; without secrets that another secret key sealed. */
function shownTo(
  context: Context,
  { isKnown, principal: { scope = "full" } }: ProviderCaller,
  target: CallbackTarget,
): RegisteredWebhook<Selection> {
  const { id, createdAt, state } = target;
  const settings = JSON.parse(target.settingsJson) as ShapedSettings & Selection;
  const { url, facts = {}, events: names, pattern } = settings;
  const selection = { ...(names !== undefined && { events: names }), ...(pattern !== undefined && { pattern }) };
  const mayManage = !isKnown || covers(scope, "manage");
  const secrets = mayManage ? (openTargetSecrets(context, target)?.current ?? {}) : {};
  return { ...selection, id, url, facts, secrets, createdAt, isActive: state === "active" };
}
