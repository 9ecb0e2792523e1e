import type { OutboundEntries, NewOutboxEntry } from "../../../store/outbox-store.ts";
import type { Context } from "../../context.ts";

/** Returns the outbox entries with the hourly outbound limit, which the store enforces. */
export function outboundOf(
  { clock, limits }: Pick<Context, "clock" | "limits">,
  entries: readonly NewOutboxEntry[],
): OutboundEntries {
  return { entries, allowance: { countMax: limits.outboundCountPerHourMax, now: clock.now() } };
}
