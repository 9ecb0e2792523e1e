import { build, orNull, type ValueOf } from "./schema.ts";

/** Schema of the delivery state of a sent message. */
export const deliverySchema = build.object(
  {
    status: build.enum(["Queued", "Sent", "Failed"], "State of the delivery."),
    attempts: build.integer("Attempts started."),
    lastError: orNull(build.string("Last error; null when there was none.")),
    updated: build.string({ format: "date-time", description: "When the state last changed, UTC." }),
  },
  { $id: "Delivery" },
);

/**
 * Delivery of a sent message, over all its recipients: `Failed` when delivery to one has failed, else `Queued` while one is
 * pending, else `Sent`. `attempts` is the highest number for one recipient; `lastError` is one line.
 */
export type Delivery = ValueOf<typeof deliverySchema>;

/** Status of an outbound delivery. */
export type DeliveryStatus = Delivery["status"];
