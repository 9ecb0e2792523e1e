/** Confirmation and cancellation of targets by their receivers, which know a token or the id and have no API key. */
import { randomBytes } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import { isSameText } from "../../providers/formats/callback-values.ts";
import { uuidOfHex } from "../../providers/formats/uuid.ts";
import type { ProviderSubscriptions } from "../../providers/provider.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { findFormat } from "./callback-formats.ts";
import { changeTarget } from "./open-target.ts";
import { settingsOf, type ShapedSettings } from "./target-settings.ts";

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

// Patterns of addresses whose mail an inbound route hands over.

/** Returns a pattern in lower case; throws a 400 on `pattern` unless it is one address or `*@domain`. */
export function readPattern(pattern: string | undefined): string {
  if (pattern === undefined) throw invalidField("pattern", "Give an address, or *@ and a domain", "required");
  const isDomain = pattern.startsWith("*@");
  const parsed = parseSingleAddress(isDomain ? `any${pattern.slice(1)}` : pattern);
  if (parsed.problem === undefined && (isDomain || !parsed.localPart.includes("*"))) return pattern.toLowerCase();
  throw invalidField("pattern", "Must be one address, such as support@app.example, or *@app.example");
}

/**
 * Returns whether the domain of a pattern is that of another server of the service, which may exist or not: a server id
 * before the mail domain.
 */
export function isOfOtherServer(
  pattern: string,
  { server, mailDomain }: { readonly server: ServerId; readonly mailDomain: string },
): boolean {
  const domain = pattern.slice(pattern.lastIndexOf("@") + 1);
  return domain.endsWith(`.${mailDomain}`) && domain.split(".", 1)[0] !== server;
}
