/** Variants of callbacks, by which an application tests how it handles hostile and unusual ones. */
import { invalidField } from "../../core/errors.ts";
import type { RequestDefect } from "../../egress/callbacks/delivery-content.ts";

/**
 * Variants of events:
 * - `duplicate`: each event twice, with the same ids.
 * - `out_of_order`: the events in reverse order.
 * - `late`: after a delay.
 * - `stale_timestamp`, `wrong_signature`, `cut_off`: one attempt with this defect.
 */
export const emitVariants = [
  "duplicate",
  "out_of_order",
  "late",
  "stale_timestamp",
  "wrong_signature",
  "cut_off",
] as const;

/** Variant of events. */
export type EmitVariant = (typeof emitVariants)[number];

/** Variants of inbound mail: those of events except `out_of_order`. */
export const inboundVariants = ["duplicate", "late", "stale_timestamp", "wrong_signature", "cut_off"] as const;

/** Variant of inbound mail. */
export type InboundVariant = (typeof inboundVariants)[number];

/** Plan of deliveries with variants. */
export interface VariantPlan {
  readonly defect: RequestDefect | null;
  /** Number of deliveries of each event. */
  readonly copies: 1 | 2;
  readonly isReversed: boolean;
  /** Delay of the first attempt in milliseconds. */
  readonly delayMs: number;
  /** Null for the usual schedule. */
  readonly attemptsMax: number | null;
}

const defects: readonly RequestDefect[] = ["stale_timestamp", "wrong_signature", "cut_off"];
const lateMs = 60_000;
/** Longest delay of `late`: a day. */
const lateMsMax = 24 * 3_600_000;

/** Returns the plan of variants; throws a 400 when two defects are given, or a delay out of range or without `late`. */
export function planVariants(variants: readonly EmitVariant[] = [], delayMs?: number): VariantPlan {
  const [defect = null, second] = defects.filter((one) => variants.includes(one));
  if (second !== undefined) throw invalidField("variants", `Give ${defect ?? ""} or ${second}, not both`);
  return {
    defect,
    copies: variants.includes("duplicate") ? 2 : 1,
    isReversed: variants.includes("out_of_order"),
    delayMs: delayOf(variants.includes("late"), delayMs),
    attemptsMax: defect === null ? null : 1,
  };
}

function delayOf(isLate: boolean, delayMs: number | undefined): number {
  if (delayMs === undefined) return isLate ? lateMs : 0;
  if (!isLate) throw invalidField("delayMs", "Only the variant late has a delay");
  if (delayMs >= 0 && delayMs <= lateMsMax) return delayMs;
  throw invalidField("delayMs", `Must be a whole number from 0 to ${String(lateMsMax)}`, "out_of_range");
}
