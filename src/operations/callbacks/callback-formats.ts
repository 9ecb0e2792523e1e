/** Formats of callbacks: event webhooks of providers, and shapes of inbound mail. */
import { invalidField, Problem } from "../../core/errors.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import type { CallbackSecrets, CallbackSetting, EventWebhooks, InboundShape } from "../../providers/callbacks.ts";
import type { MailboxNotifications } from "../../providers/mailbox-subscriptions.ts";
import { inboundShapes } from "../../providers/inbound-shapes.ts";
import { providers } from "../../providers/registry.ts";
import type { CallbackFormats } from "./target-schema.ts";

type ShownFormat = CallbackFormats["events"][number];

/** Member that event webhooks and shapes of inbound mail have in common. */
export type CallbackFormat = Pick<
  EventWebhooks & InboundShape,
  "settings" | "createSecrets" | "confirmation" | "forge"
> &
  Pick<EventWebhooks, "mustConfirm" | "isConfirmedBy">;

/** Settings of a target, divided into secret and other ones. */
export interface DividedSettings {
  readonly options: CallbackSecrets;
  readonly secrets: CallbackSecrets;
}

const settingLengthMax = 500;

/** Returns all formats. */
export async function listCallbackFormats(): Promise<CallbackFormats> {
  const events = providers.flatMap(({ name, label, loadEvents }) =>
    loadEvents === undefined ? [] : [loadEvents().then((own) => showFormat({ name, label }, own, own.types))],
  );
  const inbound = Object.values(inboundShapes).map(async (load) => {
    const shape = await load();
    return showFormat(shape, shape, []);
  });
  return { events: await Promise.all(events), inbound: await Promise.all(inbound) };
}

function showFormat(
  { name, label }: Pick<ShownFormat, "name" | "label">,
  { settings, verification }: Pick<EventWebhooks, "settings" | "verification">,
  events: ShownFormat["events"],
): ShownFormat {
  const shown = settings.map(({ pattern, ...setting }) => ({
    ...setting,
    ...(pattern !== undefined && { pattern: pattern.source }),
  }));
  return { name, label, events, settings: shown, verification };
}

/** Returns the events of a provider; undefined for one that has none. */
export async function findEventWebhooks(provider: string): Promise<EventWebhooks | undefined> {
  return await providers.find(({ name }) => name === provider)?.loadEvents?.();
}

/** Returns the notifications of a provider about mailboxes; undefined for one that has none. */
export async function findNotifications(provider: string): Promise<MailboxNotifications | undefined> {
  return await providers.find(({ name }) => name === provider)?.loadNotifications?.();
}

/** Returns the events of a provider. Rejects with `not_found` for one that has none. */
export async function openEventWebhooks(provider: string): Promise<EventWebhooks> {
  const format = await findEventWebhooks(provider);
  if (format !== undefined) return format;
  throw new Problem("not_found", { text: "No provider with event webhooks has this name" });
}

/** Returns the format of a target; undefined for a webhook, and for a format that no longer exists. */
export async function findFormat({
  kind,
  shape,
}: Pick<CallbackTarget, "kind" | "shape">): Promise<CallbackFormat | undefined> {
  if (kind === "webhook" || kind === "mailbox") return undefined;
  return kind === "inbound" ? findInboundShape(shape) : findEventWebhooks(shape);
}

/** Returns a shape of inbound mail; undefined for an unknown one. */
export async function findInboundShape(name: string): Promise<InboundShape | undefined> {
  return Object.hasOwn(inboundShapes, name) ? await inboundShapes[name]?.() : undefined;
}

/** Returns a shape of inbound mail; rejects with a 400 on `shape` for an unknown one. */
export async function openInboundShape(name: string | undefined): Promise<InboundShape> {
  if (name === undefined) throw invalidField("shape", "Name a format", "required");
  const shape = await findInboundShape(name);
  if (shape !== undefined) return shape;
  throw invalidField("shape", `Must be one of ${Object.keys(inboundShapes).join(", ")}`);
}

/** Divides the settings that a user gives; throws a 400 that names an unknown or wrong one. */
export function divideSettings(
  format: { readonly settings: readonly CallbackSetting[] },
  given: CallbackSecrets = {},
): DividedSettings {
  const options: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = `settings.${name}`;
    const setting = format.settings.find((one) => one.name === name);
    if (setting === undefined) {
      const known = format.settings.map((one) => one.name).join(", ");
      throw invalidField(field, known === "" ? "There are no settings" : `Must be one of ${known}`);
    }
    checkSetting(field, value, setting);
    if (setting.isSecret) secrets[name] = value;
    else options[name] = value;
  }
  return { options, secrets };
}

function checkSetting(field: string, value: string, { values, pattern }: CallbackSetting): void {
  if (pattern !== undefined && !new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(value)) {
    throw invalidField(field, `Must match ${pattern.source}`);
  }
  if (values !== undefined && !values.includes(value)) throw invalidField(field, `Must be one of ${values.join(", ")}`);
  if (value.length > settingLengthMax) throw invalidField(field, "At most 500 characters", "too_long");
  // oxlint-disable-next-line no-control-regex -- control characters would end a header field
  if (/[\u0000-\u001f\u007f]/.test(value)) throw invalidField(field, "Must not contain control characters");
}

/** Returns whether the receiver of a target with these options has to confirm it. */
export function mustConfirm(format: CallbackFormat, options: CallbackSecrets): boolean {
  return format.confirmation !== undefined && (format.mustConfirm?.(options) ?? true);
}
