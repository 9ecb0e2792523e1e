/** Confirmation and cancellation of targets by their receivers, which know a token or the id and have no API key. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { invalidField } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import type { ProviderSubscriptions } from "../../providers/provider.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import type { Context } from "../context.ts";
import { findEventWebhooks, findInboundShape } from "./callback-formats.ts";
import type { Confirmation } from "./target-settings.ts";

/** Members of the settings of event webhooks and inbound routes that receivers reach. */
interface SharedSettings {
  readonly options?: Readonly<Record<string, string>>;
  readonly publicKey?: string | null;
  readonly confirmation?: Confirmation | null;
}

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
    publicKeyOf: async (id) => settingsOf(await callbacks.getTarget(id)).publicKey ?? null,
    confirm: async (token) => {
      const target = tokenPattern.test(token) ? await callbacks.getTarget(targetOfToken(token)) : undefined;
      const settings = settingsOf(target);
      if (target === undefined || !isEqual(settings.confirmation?.token ?? "", token)) return null;
      if (typeof settings.confirmation?.confirmedAt !== "number") await confirm(context, target, token);
      return { target: target.id, options: settings.options ?? {} };
    },
    unsubscribe: async (id) => {
      const target = await callbacks.getTarget(id);
      if (target === undefined || !(await hasSubscriptions(target))) return false;
      const change = { state: "disabled", stateReason: "The receiver unsubscribed" } as const;
      return (await callbacks.updateTarget(id, change, { now: context.clock.now() })) !== undefined;
    },
  };
}

/** Stores the confirmation, again when another change of the target was faster. */
async function confirm({ store, clock, wakeCallbacks }: Context, target: CallbackTarget, token: string): Promise<void> {
  let current: CallbackTarget | undefined = target;
  while (current !== undefined && settingsOf(current).confirmation?.token === token) {
    const now = clock.now();
    const { confirmation, ...others } = settingsOf(current);
    const settings = { ...others, confirmation: { token, confirmedAt: now } };
    // A target that waits for its confirmation is paused; active, its deliveries are due at once.
    const isResumed = current.state === "paused" && confirmation?.staysPaused !== true;
    const state = isResumed ? ({ state: "active" } as const) : {};
    const change = { settingsJson: JSON.stringify(settings), ...state };
    // oxlint-disable-next-line no-await-in-loop -- each attempt needs the version that the last one lost to
    if ((await store.callbacks.updateTarget(current.id, change, { now, version: current.version })) !== undefined) {
      wakeCallbacks();
      return;
    }
    // oxlint-disable-next-line no-await-in-loop -- the present version is needed only after an attempt has lost
    current = await store.callbacks.getTarget(current.id);
  }
}

/** Returns whether the format of the target has subscriptions, whose receivers get links that end them. */
async function hasSubscriptions({ kind, shape }: CallbackTarget): Promise<boolean> {
  if (kind === "webhook") return false;
  const format = kind === "events" ? await findEventWebhooks(shape) : await findInboundShape(shape);
  return format?.confirmation !== undefined;
}

function settingsOf(target: CallbackTarget | undefined): SharedSettings {
  if (target === undefined || target.kind === "webhook") return {};
  return JSON.parse(target.settingsJson) as SharedSettings;
}

/** Returns the id of the target in a token of {@link newConfirmationToken}. */
export function targetOfToken(token: string): string {
  const digits = token.slice(0, uuidDigits);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
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
