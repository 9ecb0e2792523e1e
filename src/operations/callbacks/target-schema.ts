/** Targets and formats of callbacks: their schemas, the types of them, and targets as callers see them. */
import { criteriaSchema } from "../../core/criteria.ts";
import { invalidField } from "../../core/errors.ts";
import { build, orNull, refer, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { addressPattern, webhookSecret, webUrl } from "../../core/text-schemas.ts";
import { parseSingleAddress } from "../../egress/policy.ts";
import { mailEventTypes } from "../../providers/callbacks.ts";
import { inboundShapes } from "../../providers/inbound-shapes.ts";
import type { CallbackTarget } from "../../store/callback-store.ts";
import { settingsOf, type ShapedSettings, webhookEvents } from "./target-settings.ts";

const urlText = "http or https URL of the application.";
const givenUrl = webUrl({ maxLength: 2000, description: urlText });
const settings = build.record(build.string(), "Settings of the format, by name.");
const target = {
  id: build.string({ format: "uuid", description: "Id of the target." }),
  server: build.string({ pattern: "^[a-z0-9]{8}$", description: "Id of its server." }),
  url: build.string(urlText),
  state: build.enum(
    ["active", "paused", "disabled"],
    "`paused`: deliveries wait. `disabled`: the receiver responded 410; nothing is delivered.",
  ),
  stateReason: orNull(build.string("Why it is disabled; null unless it is.")),
  createdAt: build.string({ format: "date-time" }),
  secret: orNull(build.string("Signing secret; null except in the response that made it.")),
};
const shaped = {
  ...target,
  settings: build.record(build.string(), "Settings of the provider, without secret ones."),
  publicKey: orNull(build.string("Key by which the application verifies requests; null for none.")),
};
const confirmed = build.anyOf<WireSchema<boolean> | WireSchema<null>>([build.boolean(), { type: "null" }]);
const events = build.array(build.enum(webhookEvents), { minItems: 1, description: "Types of events; all by default." });
const eventTypes = build.array(
  build.enum(mailEventTypes),
  "Types of events, which are delivered without a request; all of the provider by default.",
);
const type = build.enum(["Email", "SMS"]);
const direction = build.enum(["Received", "Sent"], "Only messages of this direction; null for both.");
const state = build.enum(["active", "paused"], "`paused`: deliveries wait.");
const description = build.string({ maxLength: 200, description: "Text that lists show." });
const criteria = { ...criteriaSchema, description: "Only messages that a search for these finds; null for all." };

/** Schema of a webhook. */
export const webhookSchema = build.object(
  {
    ...target,
    description,
    events,
    type: orNull(type),
    direction: orNull(direction),
    criteria: orNull(criteria),
  },
  { $id: "Webhook" },
);

const webhookMembers = {
  url: givenUrl,
  description,
  events,
  type: orNull(type),
  direction: orNull(direction),
  criteria: orNull(criteria),
  state,
};
const secretMember = { secret: webhookSecret("`whsec_` and 24 to 64 bytes in Base64; random by default.") };

/** Request body that creates a webhook; absent filters select everything. */
export const webhookRequestSchema = build.partial({ ...webhookMembers, ...secretMember });

/** Request body that changes a webhook; absent members stay as they are. */
export const webhookChangeSchema = build.partial(webhookMembers);

/** Request body that replaces the secret of a webhook. */
export const webhookSecretSchema = build.partial(secretMember);

/** Schema of an event webhook. */
export const eventWebhookSchema = build.object(
  {
    ...shaped,
    provider: build.string("Name of the provider."),
    events: eventTypes,
    confirmed: { ...confirmed, description: "Whether the receiver has confirmed; null where none is asked to." },
  },
  { $id: "EventWebhook" },
);

/** Request body that creates or changes an event webhook. */
export const eventWebhookRequestSchema = build.partial({
  url: givenUrl,
  events: eventTypes,
  settings,
  state,
});

/** Schema of an inbound route. */
export const inboundRouteSchema = build.object(
  {
    ...shaped,
    pattern: build.string("`support@app.example`, or `*@app.example` for all addresses of a domain."),
    shape: build.string("Name of the format in which mail is handed over."),
    confirmed: { ...confirmed, description: "Whether the receiver has confirmed; null where none is asked to." },
  },
  { $id: "InboundRoute" },
);

const shapedMembers = { url: givenUrl, settings, state };

/** Request body that creates an inbound route. */
export const inboundRouteRequestSchema = build.partial({
  pattern: addressPattern("`support@app.example` or `*@app.example`; required."),
  shape: build.enum(Object.keys(inboundShapes), "Name of a format; required."),
  ...shapedMembers,
});

/** Request body that changes an inbound route. */
export const inboundRouteChangeSchema = build.partial({
  pattern: addressPattern("`support@app.example` or `*@app.example`."),
  ...shapedMembers,
});

/** Request body that replaces the secrets of an event webhook or inbound route. */
export const targetSecretSchema = build.partial({
  settings: build.record(build.string(), "Secret settings of the provider; random by default."),
});

/** Schema of a format. */
export const callbackFormatSchema = build.object(
  {
    name: build.string("Name of the provider or format."),
    label: build.string("Name as the provider writes it."),
    events: build.array(build.enum(mailEventTypes), "Types of events; empty for inbound mail."),
    settings: build.array(
      build.object({
        name: build.string("Name of the setting."),
        description: build.string("Meaning of the setting."),
        isSecret: build.boolean("Whether it is never shown again."),
        values: build.optional(build.array(build.string(), "Values that are permitted, the default first.")),
        pattern: build.optional(build.string("Regular expression that the whole text matches.")),
      }),
      "Settings that a target may have.",
    ),
    verification: build.string("How a receiver verifies requests."),
  },
  { $id: "CallbackFormat" },
);

/** Schema of all formats. */
export const callbackFormatsSchema = build.object(
  {
    events: build.array(refer(callbackFormatSchema), "Providers with event webhooks."),
    inbound: build.array(refer(callbackFormatSchema), "Formats of inbound mail."),
  },
  { $id: "CallbackFormats" },
);

/** Types of targets as callers see them, by their kinds. */
export interface ShownTargets {
  readonly webhook: ValueOf<typeof webhookSchema>;
  readonly events: ValueOf<typeof eventWebhookSchema>;
  readonly inbound: ValueOf<typeof inboundRouteSchema>;
}

/** Members that requests may give targets in the format of a provider. */
export type ShapedChange = Omit<ValueOf<typeof eventWebhookRequestSchema>, "events">;

/** Formats of callbacks, as callers see them. */
export type CallbackFormats = ValueOf<typeof callbackFormatsSchema>;

/** Kinds of targets that callers of the JSON interface make. */
export type ShownKind = keyof ShownTargets;

/** Members of the settings of a target. */
const shownSettings: {
  readonly [Kind in ShownKind]: (
    stored: CallbackTarget,
  ) => Omit<ShownTargets[Kind], Exclude<keyof typeof target, "url">>;
} = {
  webhook: (stored) => settingsOf("webhook", stored),
  events: (stored) => {
    const { url, events: selected, ...own } = settingsOf("events", stored);
    return { provider: stored.shape, url, events: selected, ...showShaped(own) };
  },
  inbound: (stored) => {
    const { url, pattern, ...own } = settingsOf("inbound", stored);
    return { shape: stored.shape, pattern, url, ...showShaped(own) };
  },
};

/** Returns a target of this kind as callers see it. */
export function showTarget<Kind extends ShownKind>(
  kind: Kind,
  stored: CallbackTarget,
  secret: string | null = null,
): ShownTargets[Kind] {
  const { id, server, state: present, stateReason } = stored;
  const createdAt = new Date(stored.createdAt).toISOString();
  const shown = { id, server, state: present, stateReason, secret, ...shownSettings[kind](stored), createdAt };
  return shown as unknown as ShownTargets[Kind];
}

function showShaped({
  options,
  publicKey,
  confirmation,
}: Omit<ShapedSettings, "url">): Pick<ShownTargets["events"], "settings" | "publicKey" | "confirmed"> {
  return { settings: options, publicKey, confirmed: confirmation === null ? null : confirmation.confirmedAt !== null };
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
