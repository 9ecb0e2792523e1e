/** Schemas of usage. */
import type { UsageLimit, UsageLimits, UsageTransaction } from "../../operations/account/get-usage.ts";
import { build, refer, schemaOf, type WireSchema } from "./schema.ts";

/** JSON of the usage of a day. */
export interface WireTransaction extends Omit<UsageTransaction, "timestamp"> {
  /** First instant of the day, ISO 8601 in UTC. */
  readonly timestamp: string;
}

const count = build.integer({ minimum: 0, maximum: 2_147_483_647 });

/** Schema of a limit and its present use. */
export const usageLimitSchema: WireSchema<UsageLimit> = schemaOf<UsageLimit>()(
  build.object({ limit: count, current: count }, { $id: "UsageLimit" }),
);

const limit = refer(usageLimitSchema);

/** Schema of the limits of the account. */
export const usageLimitsSchema: WireSchema<UsageLimits> = schemaOf<UsageLimits>()(
  build.object({ servers: limit, users: limit, email: limit, sms: limit }, { $id: "UsageLimits" }),
);

/** Schema of the usage of a day. */
export const transactionSchema: WireSchema<WireTransaction> = schemaOf<WireTransaction>()(
  build.object(
    { timestamp: build.string({ format: "date-time" }), email: count, sms: count },
    { $id: "UsageTransaction" },
  ),
);

/** Returns the usage of a day in its JSON form. */
export function toWireTransaction({ timestamp, email, sms }: UsageTransaction): WireTransaction {
  return { timestamp: new Date(timestamp).toISOString(), email, sms };
}
