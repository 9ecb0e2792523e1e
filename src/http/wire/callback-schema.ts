/** Schemas of webhooks, event webhooks and inbound routes. */
import type { WebhookRequest, WebhookChange } from "../../operations/callbacks/webhooks.ts";
import type {
  EventWebhookRequest,
  InboundRouteChange,
  InboundRouteRequest,
} from "../../operations/callbacks/provider-targets.ts";
import type { CallbackFormats } from "../../operations/callbacks/callback-formats.ts";
import type {
  ShownCallbackFormat,
  ShownEventWebhook,
  ShownInboundRoute,
  ShownTarget,
  ShownWebhook,
} from "../../operations/callbacks/shown-target.ts";
import { webhookEvents } from "../../operations/callbacks/target-settings.ts";
import { mailEventTypes } from "../../providers/callbacks.ts";
import { inboundShapes } from "../../providers/inbound-shapes.ts";
import { criteriaSchema } from "./search-schema.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "../../core/schema.ts";
import { addressPattern, webhookSecret, webUrl } from "./text-schemas.ts";

/** A target whose instants are ISO 8601 in UTC. */
type Wire<Target extends ShownTarget> = Omit<Target, "createdAt"> & { readonly createdAt: string };

/** JSON of a webhook. */
export type WireWebhook = Wire<ShownWebhook>;

/** JSON of an event webhook. */
export type WireEventWebhook = Wire<ShownEventWebhook>;

/** JSON of an inbound route. */
export type WireInboundRoute = Wire<ShownInboundRoute>;

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
export const webhookSchema: WireSchema<WireWebhook> = build.object(
  {
    ...target,
    description,
    events,
    type: orNull(type),
    direction: orNull(direction),
    criteria: orNull(criteria),
  },
  { $id: "Webhook" },
) as WireSchema<WireWebhook>;

/** Request body that creates a webhook. */
export const webhookRequestSchema: WireSchema<WebhookRequest> = schemaOf<WebhookRequest>()(
  build.partial({
    url: givenUrl,
    description: description,
    events: events,
    type: orNull(type),
    direction: orNull(direction),
    criteria: orNull(criteria),
    state: state,
    secret: webhookSecret("`whsec_` and 24 to 64 bytes in Base64; random by default."),
  }),
);

/** Request body that changes a webhook. */
export const webhookChangeSchema: WireSchema<WebhookChange> = schemaOf<WebhookChange>()(
  build.partial({
    url: givenUrl,
    description: description,
    events: events,
    type: orNull(type),
    direction: orNull(direction),
    criteria: orNull(criteria),
    state: state,
  }),
);

/** Request body that replaces the secret of a webhook. */
export const webhookSecretSchema = build.partial({
  secret: webhookSecret("`whsec_` and 24 to 64 bytes in Base64; random by default."),
});

/** Schema of an event webhook. */
export const eventWebhookSchema: WireSchema<WireEventWebhook> = build.object(
  {
    ...shaped,
    provider: build.string("Name of the provider."),
    events: eventTypes,
    confirmed: { ...confirmed, description: "Whether the receiver has confirmed; null where none is asked to." },
  },
  { $id: "EventWebhook" },
) as WireSchema<WireEventWebhook>;

/** Request body that creates or changes an event webhook. */
export const eventWebhookRequestSchema: WireSchema<EventWebhookRequest> = schemaOf<EventWebhookRequest>()(
  build.partial({
    url: givenUrl,
    events: eventTypes,
    settings: settings,
    state: state,
  }),
);

/** Schema of an inbound route. */
export const inboundRouteSchema: WireSchema<WireInboundRoute> = build.object(
  {
    ...shaped,
    pattern: build.string("`support@app.example`, or `*@app.example` for all addresses of a domain."),
    shape: build.string("Name of the format in which mail is handed over."),
    confirmed: { ...confirmed, description: "Whether the receiver has confirmed; null where none is asked to." },
  },
  { $id: "InboundRoute" },
) as WireSchema<WireInboundRoute>;

/** Request body that creates an inbound route. */
export const inboundRouteRequestSchema: WireSchema<InboundRouteRequest> = schemaOf<InboundRouteRequest>()(
  build.partial({
    pattern: addressPattern("`support@app.example` or `*@app.example`; required."),
    shape: build.enum(Object.keys(inboundShapes), "Name of a format; required."),
    url: givenUrl,
    settings: settings,
    state: state,
  }),
);

/** Request body that changes an inbound route. */
export const inboundRouteChangeSchema: WireSchema<InboundRouteChange> = schemaOf<InboundRouteChange>()(
  build.partial({
    pattern: addressPattern("`support@app.example` or `*@app.example`."),
    url: givenUrl,
    settings: settings,
    state: state,
  }),
);

/** Request body that replaces the secrets of an event webhook or inbound route. */
export const targetSecretSchema = build.partial({
  settings: build.record(build.string(), "Secret settings of the provider; random by default."),
});

/** Schema of a format. */
export const callbackFormatSchema: WireSchema<ShownCallbackFormat> = schemaOf<ShownCallbackFormat>()(
  build.object(
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
  ),
);

/** Schema of all formats. */
export const callbackFormatsSchema: WireSchema<CallbackFormats> = schemaOf<CallbackFormats>()(
  build.object(
    {
      events: build.array(refer(callbackFormatSchema), "Providers with event webhooks."),
      inbound: build.array(refer(callbackFormatSchema), "Formats of inbound mail."),
    },
    { $id: "CallbackFormats" },
  ),
);

/** Returns a target in its JSON form. */
export function toWireTarget<Target extends ShownTarget>({ createdAt, ...target }: Target): Wire<Target> {
  return { ...target, createdAt: new Date(createdAt).toISOString() };
}
