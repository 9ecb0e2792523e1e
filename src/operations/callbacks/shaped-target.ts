/** Steps that event webhooks and inbound routes share: settings, secrets and the confirmation of the receiver. */
import { randomBytes } from "node:crypto";
import type { Context } from "../context.ts";
import type { CallbackSecrets } from "../../providers/callbacks.ts";
import type { CallbackTarget, TargetChange } from "../../store/callback-store.ts";
import { Problem } from "../../core/errors.ts";
import { divideSettings, mustConfirm, type CallbackFormat, findFormat } from "./callback-formats.ts";
import { changeTarget, checkTargetUrl, newDelivery, stateChange, type RequestedState } from "./open-target.ts";
import type { ShapedChange } from "./target-schema.ts";
import { sealTargetSecrets, type Confirmation, type ShapedSettings, settingsOf } from "./target-settings.ts";
import { isSameText } from "../../providers/formats/callback-values.ts";
import { uuidOfHex } from "../../providers/formats/uuid.ts";
import type { ProviderSubscriptions } from "../../providers/provider.ts";

/** Settings of a new target, and its secrets as they are stored and as the user is shown them. */
interface NewShape extends ShapedSettings {
  readonly sealedSecrets: Uint8Array;
  readonly secret: string | null;
}

/** Returns the checked settings and new secrets of a new target. Rejects with a 400 that names the field. */
export async function makeShape(
  context: Context,
  format: CallbackFormat,
  { id, change: { url, settings, state } }: { readonly id: string; readonly change: ShapedChange },
): Promise<NewShape> {
  const checkedUrl = checkTargetUrl(context, url);
  const { options, secrets: given } = divideSettings(format, settings);
  const { secrets, publicKey, secret } = await format.createSecrets(given);
  const sealedSecrets = sealTargetSecrets(context, id, { current: secrets, previous: null });
  return {
    url: checkedUrl,
    options,
    publicKey,
    confirmation: pausedAs(state === "paused", confirmationOf(format, id, options)),
    sealedSecrets,
    secret,
  };
}

/** A changed target, and its secret when that was replaced. */
export interface ChangedShape {
  readonly target: CallbackTarget;
  readonly secret: string | null;
}

/**
 * Changes a target of this format. A new URL has to confirm again. Rejects with a 400 that names the field, and with
 * `conflict` when it is made active before its receiver has confirmed.
 */
export async function changeShape<Settings extends ShapedSettings>(
  context: Context,
  { target, format }: { readonly target: CallbackTarget; readonly format: CallbackFormat },
  change: ShapedChange & { readonly own: Partial<Settings> },
): Promise<ChangedShape> {
  const url = change.url === undefined ? undefined : checkTargetUrl(context, change.url);
  const divided = change.settings === undefined ? undefined : divideSettings(format, change.settings);
  const hasSecrets = divided !== undefined && Object.keys(divided.secrets).length > 0;
  const made = hasSecrets ? await format.createSecrets(divided.secrets) : undefined;
  const changed = await changeTarget(context, target, (present) => {
    const before = JSON.parse(present.settingsJson) as Settings;
    const options = divided?.options ?? before.options;
    const isMoved = url !== undefined && url !== before.url;
    const needed =
      isMoved || (before.confirmation !== null) !== mustConfirm(format, options)
        ? confirmationOf(format, target.id, options)
        : before.confirmation;
    const confirmation = pausedAs(isPausedByUser(change.state, before.confirmation, present), needed);
    const publicKey = made === undefined ? before.publicKey : made.publicKey;
    const settings = { ...before, ...change.own, url: url ?? before.url, options, publicKey, confirmation };
    return {
      settingsJson: JSON.stringify(settings),
      ...stateOf(change.state, { before: before.confirmation, confirmation }, present),
      ...(made !== undefined && {
        sealedSecrets: sealTargetSecrets(context, target.id, { current: made.secrets, previous: null }),
      }),
    };
  });
  await askToConfirm(context, changed, target);
  context.wakeCallbacks();
  return { target: changed, secret: made?.secret ?? null };
}

/** Returns whether the user wants the target to be paused, apart from a pause that waits for the receiver. */
function isPausedByUser(
  requested: RequestedState | undefined,
  before: Confirmation | null,
  { state }: CallbackTarget,
): boolean {
  if (requested !== undefined) return requested === "paused";
  return isWaiting(before) ? before.staysPaused === true : state === "paused";
}

/** Returns the confirmation with the note whether the target stays paused after it. */
function pausedAs(staysPaused: boolean, confirmation: Confirmation | null): Confirmation | null {
  return isWaiting(confirmation) ? { ...confirmation, staysPaused } : confirmation;
}

function isWaiting(confirmation: Confirmation | null): confirmation is Confirmation {
  return confirmation !== null && confirmation.confirmedAt === null;
}

function stateOf(
  requested: RequestedState | undefined,
  { before, confirmation }: { readonly before: Confirmation | null; readonly confirmation: Confirmation | null },
  { state }: CallbackTarget,
): TargetChange {
  if (!isWaiting(confirmation)) return stateChange(requested);
  if (requested === "active") {
    // Takes back the user's own pause; the target still waits for its receiver.
    if (isWaiting(before) && before.staysPaused === true) return stateChange("paused");
    throw new Problem("conflict", { text: "The receiver has not confirmed yet; deliveries start when it has" });
  }
  return state === "active" ? stateChange("paused") : stateChange(requested);
}

/**
 * Replaces the secrets of a target; `given` are secret settings, others are random. Rejects with `not_found`, and with a
 * 400 on `settings`.
 */
export async function rotateShape(
  context: Context,
  { target, format }: { readonly target: CallbackTarget; readonly format: CallbackFormat },
  given: CallbackSecrets = {},
): Promise<ChangedShape> {
  const { secrets } = divideSettings({ settings: format.settings.filter(({ isSecret }) => isSecret) }, given);
  const made = await format.createSecrets(secrets);
  const changed = await changeTarget(context, target, (present) => ({
    settingsJson: JSON.stringify({
      ...(JSON.parse(present.settingsJson) as ShapedSettings),
      publicKey: made.publicKey,
    }),
    sealedSecrets: sealTargetSecrets(context, target.id, { current: made.secrets, previous: null }),
  }));
  return { target: changed, secret: made.secret };
}

/** Pauses a new target whose receiver has to confirm, and queues the request for it; `before`: its former state. */
export async function askToConfirm(
  context: Context,
  target: CallbackTarget,
  before: CallbackTarget | null,
): Promise<CallbackTarget> {
  const { confirmation } = JSON.parse(target.settingsJson) as ShapedSettings;
  const former = before === null ? null : (JSON.parse(before.settingsJson) as ShapedSettings).confirmation;
  if (confirmation === null || confirmation.confirmedAt !== null || confirmation.token === former?.token) return target;
  const paused = await changeTarget(context, target, () => stateChange("paused"));
  const content = { kind: "confirmation", token: confirmation.token } as const;
  const delivery = newDelivery(target, content, { type: "confirmation", createdAt: context.clock.now() });
  // Without a target, since deliveries of paused ones wait; the token names it.
  const queue = `confirmation:${target.id}`;
  await context.store.callbacks.addDeliveries([{ ...delivery, target: null, queue }]);
  context.wakeCallbacks();
  return paused;
}

function confirmationOf(format: CallbackFormat, id: string, options: CallbackSecrets): Confirmation | null {
  return mustConfirm(format, options) ? { token: newConfirmationToken(id), confirmedAt: null } : null;
}

// Confirmation and cancellation by receivers, which know a token or the id and have no API key.

const secretBytes = 64;
const uuidDigits = 32;
const tokenPattern = new RegExp(`^[0-9a-f]{${String(uuidDigits + 2 * secretBytes)}}$`);

/** Returns a new confirmation token of a target: its UUID and 512 random bits, in hexadecimal. */
export function newConfirmationToken(target: string): string {
  return target.replaceAll("-", "") + randomBytes(secretBytes).toString("hex");
}

/** Returns what receivers may do without an API key. */
export function subscriptionsOf(context: Context): ProviderSubscriptions {
  const { callbacks } = context.store;
  return {
    publicKeyOf: async (id) => shapedSettingsOf(await callbacks.getTarget(id)).publicKey ?? null,
    confirm: async (token) => {
      const target = tokenPattern.test(token) ? await callbacks.getTarget(targetOfToken(token)) : undefined;
      const settings = shapedSettingsOf(target);
      if (target === undefined || !isSameText(settings.confirmation?.token ?? "", token)) return null;
      if (typeof settings.confirmation?.confirmedAt !== "number") await confirm(context, target, token);
      return { target: target.id, options: settings.options ?? {} };
    },
    unsubscribe: async (id) => {
      const target = await callbacks.getTarget(id);
      // Receivers of formats that have to be confirmed get links that end their subscriptions.
      if (target === undefined || (await findFormat(target))?.confirmation === undefined) return false;
      const change = { state: "disabled", stateReason: "The receiver unsubscribed" } as const;
      return (await callbacks.updateTarget(id, change, { now: context.clock.now() })) !== undefined;
    },
  };
}

/** Stores the confirmation. */
async function confirm(context: Context, target: CallbackTarget, token: string): Promise<void> {
  await changeTarget(context, target, (present) => {
    const { confirmation, ...others } = shapedSettingsOf(present);
    if (confirmation?.token !== token) return null;
    const settings = { ...others, confirmation: { token, confirmedAt: context.clock.now() } };
    // A target that waits for its confirmation is paused; active, its deliveries are due at once.
    const isResumed = present.state === "paused" && confirmation.staysPaused !== true;
    return { settingsJson: JSON.stringify(settings), ...(isResumed && { state: "active" }) };
  });
  context.wakeCallbacks();
}

function shapedSettingsOf(target: CallbackTarget | undefined): Partial<ShapedSettings> {
  return target === undefined || target.kind === "webhook" || target.kind === "mailbox"
    ? {}
    : settingsOf(target.kind, target);
}

/** Returns the id of the target in a token of {@link newConfirmationToken}. */
export function targetOfToken(token: string): string {
  return uuidOfHex(token.slice(0, uuidDigits));
}
