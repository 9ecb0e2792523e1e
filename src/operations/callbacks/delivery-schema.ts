/** Schemas of callback deliveries, and of requests that cause deliveries. */
import { build, orNull, refer, type ValueOf } from "../../core/schema.ts";
import { instantText, webUrl } from "../../core/text-schemas.ts";
import { mailEventTypes } from "../../providers/callbacks.ts";
import { inboundShapes } from "../../providers/inbound-shapes.ts";
import type { CallbackStatus } from "../../store/callback-store.ts";
import { emitVariants, inboundVariants } from "./target-settings.ts";

/** All states of deliveries. */
export const callbackStatuses: readonly CallbackStatus[] = [
  "Pending",
  "Delivered",
  "Failed",
  "Cancelled",
  "Quarantined",
];

const instant = build.string({ format: "date-time" });

/** Schema of an attempt. */
export const callbackAttemptSchema = build.object(
  {
    number: build.integer({ minimum: 1, description: "Number of the attempt, over all replays." }),
    startedAt: build.string({ format: "date-time", description: "When it started." }),
    durationMs: build.integer("Duration in milliseconds."),
    url: build.string("URL that was called."),
    headers: build.record(build.string(), "Header fields of the request; credentials are masked."),
    responseStatus: orNull(build.integer("Status of the response; null without one.")),
    error: orNull(build.string("Why it failed; null for a success.")),
  },
  { $id: "CallbackAttempt" },
);

/** Attempt, as callers see it. */
export type ShownAttempt = ValueOf<typeof callbackAttemptSchema>;

const delivery = {
  id: build.string({ format: "uuid", description: "Id of the delivery." }),
  server: build.string({ pattern: "^[a-z0-9]{8}$", description: "Id of its server." }),
  target: orNull(build.string("Id of the webhook, event webhook or inbound route; null without one.")),
  message: orNull(build.string({ format: "uuid", description: "Message that it is about; null without one." })),
  type: build.string("Type of the event, such as `message.received` or `bounced`."),
  status: build.enum(
    callbackStatuses,
    "`Cancelled`: its content was erased. `Quarantined`: its attempts ended the service; it is retried by hand only.",
  ),
  attemptCount: build.integer("Attempts that were started."),
  createdAt: instant,
  nextAttemptAt: orNull(build.string({ format: "date-time", description: "Null unless it is pending." })),
  lastAttempt: orNull(refer(callbackAttemptSchema), "Last finished attempt; null before the first."),
};

/** Schema of a delivery in a list. */
export const callbackDeliverySchema = build.object(delivery, { $id: "CallbackDelivery" });

/** Delivery in a list, as callers see it. */
export type ShownDelivery = ValueOf<typeof callbackDeliverySchema>;

/** Schema of a delivery with its request and attempts. */
export const callbackDetailSchema = build.object(
  {
    ...delivery,
    request: orNull(
      build.object({
        url: build.string("URL of the application."),
        headers: build.record(build.string(), "Header fields; credentials are masked."),
        body: build.string("Body; the first mebibyte of a larger one."),
        encoding: build.enum(["text", "base64"], "Encoding of `body`."),
        bodyBytes: build.integer("Size of the whole body in bytes."),
      }),
      "Request as an attempt sends it now; null when it was erased or its message deleted.",
    ),
    attempts: build.array(refer(callbackAttemptSchema), "Finished attempts, oldest first."),
  },
  { $id: "CallbackDeliveryDetail" },
);

/** Delivery with its request and attempts, as callers see it. */
export type ShownDeliveryDetail = ValueOf<typeof callbackDetailSchema>;

/** Schema of deliveries that a request made. */
export const madeDeliveriesSchema = build.object(
  { deliveries: build.array(refer(callbackDeliverySchema), "The deliveries, in order.") },
  { $id: "MadeDeliveries" },
);

/** JSON of deliveries that a request made. */
export type WireMadeDeliveries = ValueOf<typeof madeDeliveriesSchema>;

/** Request body that replays deliveries. */
export const replayRequestSchema = build.partial({
  target: build.string({ format: "uuid", description: "Id of the target." }),
  message: build.string({ format: "uuid", description: "Id of the message." }),
  status: build.enum(callbackStatuses, "`Failed` by default."),
  type: build.string("Type of the event."),
  since: instantText("Created then or later."),
  before: instantText("Created before."),
});

/** JSON of a request that replays deliveries; instants are ISO 8601. */
export type WireReplayRequest = ValueOf<typeof replayRequestSchema>;

/** Schema of the result of a replay. */
export const replayedSchema = build.object({ replayed: build.integer("Number of deliveries.") }, { $id: "Replayed" });

/** Request body that emits events of a provider. */
export const eventRequestSchema = build.partial({
  type: build.enum(mailEventTypes, "Type of the event."),
  types: build.array(build.enum(mailEventTypes), { maxItems: 20, description: "Types of several events, in order." }),
  provider: build.string("Name of the provider; by default that of the message."),
  recipient: build.string("Recipient of the message; the first by default."),
  reason: build.string({ maxLength: 1000, description: "Reply of the receiving host." }),
  code: build.integer("SMTP reply code of the reason."),
  status: build.string({ maxLength: 1000, description: "Enhanced status code (RFC 3463)." }),
  bounce: build.enum(["hard", "soft", "blocked"], "Kind of a bounce; `hard` by default."),
  url: build.string({ maxLength: 1000, description: "Link that was clicked." }),
  ip: build.string({ maxLength: 1000, description: "IP address of the reader." }),
  userAgent: build.string({ maxLength: 1000, description: "Email client or browser of the reader." }),
  at: instantText("Instant of the last event; now by default."),
  variants: build.array(build.enum(emitVariants), "Variants by which handlers are tested."),
  delayMs: build.integer({ minimum: 0, maximum: 86_400_000, description: "Delay of `late`; a minute by default." }),
});

/** Request body that hands a message to the application. */
export const handInboundSchema = build.partial({
  route: build.string("Id of an inbound route."),
  shape: build.enum(Object.keys(inboundShapes), "Name of a format, without a route."),
  url: webUrl({ maxLength: 2000, description: "URL of the application, without a route." }),
  settings: build.record(build.string(), "Settings of the format."),
  recipient: build.string("Recipient of the message; the first by default."),
  variants: build.array(build.enum(inboundVariants), "Variants by which handlers are tested."),
  delayMs: build.integer({ minimum: 0, maximum: 86_400_000, description: "Delay of `late`; a minute by default." }),
});

/** Request that hands a message to the application: a route, or shape and URL. */
export type HandInboundRequest = ValueOf<typeof handInboundSchema>;
