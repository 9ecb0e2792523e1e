import type { Target } from "../api/callbacks.ts";

/** Returns the name of a target and what it receives, for its row in a table. */
export function describeTarget(target: Target): { readonly name: string; readonly detail: string } {
  if ("pattern" in target) return { name: target.pattern, detail: target.shape };
  if ("provider" in target) return { name: target.provider, detail: "" };
  const { description, events, type, criteria } = target;
  const parts = [type ?? "", ...Object.values(criteria ?? {}).filter((value) => value !== "ALL" && value !== "ANY")];
  const filter = parts.filter((part) => part !== "").join(", ");
  const selected = events.join(", ");
  return description === ""
    ? { name: selected, detail: filter }
    : { name: description, detail: [selected, filter].filter((part) => part !== "").join(" · ") };
}
