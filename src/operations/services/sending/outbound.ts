import type { Departure, NewOutboxEntry } from "../../../store/outbox-store.ts";
import type { Context } from "../../context.ts";

/** The entries with what the account may still send within the hour: the store counts them as it adds them. */
export function outboundOf(
  { clock, limits }: Pick<Context, "clock" | "limits">,
  entries: readonly NewOutboxEntry[],
): Departure {
  return { entries, allowance: { countMax: limits.leavingCountPerHourMax, now: clock.now() } };
}
