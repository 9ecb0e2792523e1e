/** Schemas of callback deliveries, and of requests that cause deliveries. */
import type { HandInboundRequest } from "../../operations/callbacks/hand-inbound.ts";
import { emitVariants, inboundVariants } from "../../operations/callbacks/target-settings.ts";
import { callbackStatuses } from "../../operations/callbacks/shown-target.ts";
import type { ShownAttempt, ShownDelivery, ShownDeliveryDetail } from "../../operations/callbacks/shown-target.ts";
import { mailEventTypes } from "../../providers/callbacks.ts";
import { inboundShapes } from "../../providers/inbound-shapes.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { instantText, webUrl } from "./text-schemas.ts";

const instant = build.string({ format: "date-time" });

/** Schema of an attempt. */
export const callbackAttemptSchema = build.object(
  {
    number: build.integer({ minimum: 1, description: "Number of the attempt, over all replays." }),
    startedAt: build.string({ format: "date-time", description: "When it started." }),
    durationMs: build.integer({ description: "Duration in milliseconds." }),
    url: build.string({ description: "URL that was called." }),
    headers: build.record(build.string(), { description: "Header fields of the request; credentials are masked." }),
    responseStatus: orNull(build.integer({ description: "Status of the response; null without one." })),
    error: orNull(build.string({ description: "Why it failed; null for a success." })),
  },
  { $id: "CallbackAttempt" },
);

/** JSON of an attempt. */
export type WireCallbackAttempt = ValueOf<typeof callbackAttemptSchema>;

const delivery = {
  id: build.string({ format: "uuid", description: "Id of the delivery." }),
  server: build.string({ pattern: "^[a-z0-9]{8}$", description: "Id of its server." }),
  target: orNull(build.string({ description: "Id of the webhook, event webhook or inbound route; null without one." })),
  message: orNull(build.string({ format: "uuid", description: "Message that it is about; null without one." })),
  type: build.string({ description: "Type of the event, such as `message.received` or `bounced`." }),
  status: build.enum(callbackStatuses, {
    description:
      "`Cancelled`: its content was erased. `Quarantined`: its attempts ended the service; it is retried by hand only.",
  }),
  attemptCount: build.integer({ description: "Attempts that were started." }),
  createdAt: instant,
  nextAttemptAt: orNull(build.string({ format: "date-time", description: "Null unless it is pending." })),
  lastAttempt: orNull(refer(callbackAttemptSchema), { description: "Last finished attempt; null before the first." }),
};

/** Schema of a delivery in a list. */
export const callbackDeliverySchema = build.object(delivery, { $id: "CallbackDelivery" });

/** JSON of a delivery in a list. */
export type WireCallbackDelivery = ValueOf<typeof callbackDeliverySchema>;

/** Schema of a delivery with its request and attempts. */
export const callbackDetailSchema = build.object(
  {
    ...delivery,
    request: orNull(
      build.object({
        url: build.string({ description: "URL of the application." }),
        headers: build.record(build.string(), { description: "Header fields; credentials are masked." }),
        body: build.string({ description: "Body; the first mebibyte of a larger one." }),
        encoding: build.enum(["text", "base64"], { description: "Encoding of `body`." }),
        bodyBytes: build.integer({ description: "Size of the whole body in bytes." }),
      }),
      { description: "Request as an attempt sends it now; null when it was erased or its message deleted." },
    ),
    attempts: build.array(refer(callbackAttemptSchema), { description: "Finished attempts, oldest first." }),
  },
  { $id: "CallbackDeliveryDetail" },
);

/** JSON of a delivery with its request and attempts. */
export type WireCallbackDetail = ValueOf<typeof callbackDetailSchema>;

/** Schema of deliveries that a request made. */
export const madeDeliveriesSchema = build.object(
  { deliveries: build.array(refer(callbackDeliverySchema), { description: "The deliveries, in order." }) },
  { $id: "MadeDeliveries" },
);

/** JSON of deliveries that a request made. */
export type WireMadeDeliveries = ValueOf<typeof madeDeliveriesSchema>;

/** Request body that replays deliveries. */
export const replayRequestSchema = build.object({
  target: build.optional(build.string({ format: "uuid", description: "Id of the target." })),
  message: build.optional(build.string({ format: "uuid", description: "Id of the message." })),
  status: build.optional(build.enum(callbackStatuses, { description: "`Failed` by default." })),
  type: build.optional(build.string({ description: "Type of the event." })),
  since: build.optional(instantText({ description: "Created then or later." })),
  before: build.optional(instantText({ description: "Created before." })),
});

/** JSON of a request that replays deliveries; instants are ISO 8601. */
export type WireReplayRequest = ValueOf<typeof replayRequestSchema>;

/** Schema of the result of a replay. */
export const replayedSchema = build.object(
  { replayed: build.integer({ description: "Number of deliveries." }) },
  { $id: "Replayed" },
);

/** Request body that emits events of a provider. */
export const eventRequestSchema = build.object({
  type: build.optional(build.enum(mailEventTypes, { description: "Type of the event." })),
  types: build.optional(
    build.array(build.enum(mailEventTypes), { maxItems: 20, description: "Types of several events, in order." }),
  ),
  provider: build.optional(build.string({ description: "Name of the provider; by default that of the message." })),
  recipient: build.optional(build.string({ description: "Recipient of the message; the first by default." })),
  reason: build.optional(build.string({ maxLength: 1000, description: "Reply of the receiving host." })),
  code: build.optional(build.integer({ description: "SMTP reply code of the reason." })),
  status: build.optional(build.string({ maxLength: 1000, description: "Enhanced status code (RFC 3463)." })),
  bounce: build.optional(
    build.enum(["hard", "soft", "blocked"], { description: "Kind of a bounce; `hard` by default." }),
  ),
  url: build.optional(build.string({ maxLength: 1000, description: "Link that was clicked." })),
  ip: build.optional(build.string({ maxLength: 1000, description: "IP address of the reader." })),
  userAgent: build.optional(build.string({ maxLength: 1000, description: "Email client or browser of the reader." })),
  at: build.optional(instantText({ description: "Instant of the last event; now by default." })),
  variants: build.optional(
    build.array(build.enum(emitVariants), { description: "Variants by which handlers are tested." }),
  ),
  delayMs: build.optional(
    build.integer({ minimum: 0, maximum: 86_400_000, description: "Delay of `late`; a minute by default." }),
  ),
});

/** Request body that hands a message to the application. */
export const handInboundSchema: WireSchema<HandInboundRequest> = schemaOf<HandInboundRequest>()(
  build.object({
    route: build.optional(build.string({ description: "Id of an inbound route." })),
    shape: build.optional(
      build.enum(Object.keys(inboundShapes), { description: "Name of a format, without a route." }),
    ),
    url: build.optional(webUrl({ maxLength: 2000, description: "URL of the application, without a route." })),
    settings: build.optional(build.record(build.string(), { description: "Settings of the format." })),
    recipient: build.optional(build.string({ description: "Recipient of the message; the first by default." })),
    variants: build.optional(
      build.array(build.enum(inboundVariants), { description: "Variants by which handlers are tested." }),
    ),
    delayMs: build.optional(
      build.integer({ minimum: 0, maximum: 86_400_000, description: "Delay of `late`; a minute by default." }),
    ),
  }),
);

/** Returns a delivery in its JSON form. */
export function toWireDelivery(delivery: ShownDelivery): WireCallbackDelivery {
  const { createdAt, nextAttemptAt, lastAttempt, ...rest } = delivery;
  return {
    ...rest,
    createdAt: new Date(createdAt).toISOString(),
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt).toISOString(),
    lastAttempt: lastAttempt === null ? null : toWireAttempt(lastAttempt),
  };
}

/** Returns a delivery with its request and attempts in its JSON form. */
export function toWireDetail({ request, attempts, ...delivery }: ShownDeliveryDetail): WireCallbackDetail {
  return { ...toWireDelivery(delivery), request, attempts: attempts.map(toWireAttempt) };
}

function toWireAttempt({ startedAt, requestHeaders, ...attempt }: ShownAttempt): WireCallbackAttempt {
  return { ...attempt, startedAt: new Date(startedAt).toISOString(), headers: requestHeaders };
}
