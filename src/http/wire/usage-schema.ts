/** Usage as the wire shows it. */
import type { UsageLimit, UsageLimits, UsageTransaction } from "../../operations/get-usage.ts";
import { build, refer, schemaOf, type WireSchema } from "./schema.ts";

/** A day on the wire. */
export interface WireTransaction extends Omit<UsageTransaction, "timestamp"> {
  /** ISO 8601 in UTC: the first instant of the day. */
  readonly timestamp: string;
}

const count = build.integer({ minimum: 0, maximum: 2_147_483_647 });

/** A limit and how much of it is used. */
export const usageLimitSchema: WireSchema<UsageLimit> = schemaOf<UsageLimit>()(
  build.object({ limit: count, current: count }, { $id: "UsageLimit" }),
);

const limit = refer(usageLimitSchema);

/** The account's limits. */
export const usageLimitsSchema: WireSchema<UsageLimits> = schemaOf<UsageLimits>()(
  build.object({ servers: limit, users: limit, email: limit, sms: limit }, { $id: "UsageLimits" }),
);

/** A day's transactions. */
export const transactionSchema: WireSchema<WireTransaction> = schemaOf<WireTransaction>()(
  build.object(
    { timestamp: build.string({ format: "date-time" }), email: count, sms: count },
    { $id: "UsageTransaction" },
  ),
);

/** A day as the wire shows it. */
export function toWireTransaction({ timestamp, email, sms }: UsageTransaction): WireTransaction {
  return { timestamp: new Date(timestamp).toISOString(), email, sms };
}
